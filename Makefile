# What is missing on this machine is installed with the system's package manager.

FUZZTIME ?= 50000x
COUNT    ?= 20
OPS      ?= 50000
SEEDS    ?= 20000

.PHONY: help
help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: build
build: ## Build bin/gateway
	@go build -o bin/gateway ./gateway

.PHONY: run
run: build ## Run one replica with a PostgreSQL of its own; Ctrl-C stops both
	@.ci/packages postgresql
	@exec bin/gateway dev $(ARGS)

.PHONY: cluster
cluster: build ## Run three replicas that share their filters and a Redis; Ctrl-C stops all
	@.ci/packages postgresql redis
	@.ci/cluster

.PHONY: test
test: ## Run all tests, with real PostgreSQL and the race detector
	@.ci/packages cc postgresql pgbouncer redis
	go test -race -shuffle=on -timeout=20m $$(go list ./... | grep -v -x -F -e namegate/test/faults -e namegate/test/bench)
	@# These take the whole machine, which others could not stand beside their own time limits.
	go test -race -shuffle=on -timeout=20m -p=1 ./test/bench ./test/faults

.PHONY: test-browser
test-browser: ## Run the tests in a real browser, and the audits of GraphQL over HTTP
	@.ci/packages postgresql node chromium
	test/browser/run

.PHONY: test-faults
test-faults: ## Repeat the fault tests COUNT times, check histories of OPS operations, simulate SEEDS fleets and fuzz for FUZZTIME each (20m, say); by hand
	@.ci/packages cc postgresql pgbouncer redis
	go test -race -shuffle=on -count=$(COUNT) -timeout=8h ./storage/postgres
	go test -race -run='^TestHistoriesAreLinearizable$$' -v -timeout=8h ./storage/postgres -history.ops=$(OPS)
	go test -count=1 -timeout=8h ./test/faults -faults.long
	go test -run='^TestSimulation$$' -v -timeout=8h ./bloomnet/shard -shard.seeds=$(SEEDS)
	$(MAKE) fuzz FUZZTIME=$(FUZZTIME)

.PHONY: fuzz
fuzz: ## Fuzz every decoder for FUZZTIME
	@.ci/fuzz $(FUZZTIME)

.PHONY: bench
bench: build ## Measure against pgbench and a JSON echo, and print a table; ARGS for flags
	@.ci/packages postgresql pgbench redis
	go run ./test/bench $(ARGS)

.PHONY: bench-billion
bench-billion: ## Measure the filter with 50 million and a billion names, beside another one
	go run ./test/bench-billion $(ARGS)

.PHONY: generate
generate: ## Make the generated files anew
	go generate ./...

.PHONY: lint
lint: ## Check form, vet, staticcheck, generated files and go.mod
	@.ci/lint

.PHONY: clean
clean: ## Remove what was built; the data of `make run` stays in .namegate
	rm -rf bin test/browser/node_modules
