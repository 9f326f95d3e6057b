// The replica under test: built from this tree, with data and ports of its own.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { chmod, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START_MS = 120_000; // it makes a PostgreSQL cluster first
const STOP_MS = 60_000;

export class Replica {
  /** The public address, with a slash at its end. */
  url;
  #home; // holds all that it writes
  #child;
  #log = "";

  async start() {
    process.once("exit", () => this.#abandon());
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
    this.#home = await mkdtemp(join(tmpdir(), "namegate-browser-"));
    await chmod(this.#home, 0o711); // root's PostgreSQL runs as another user, who must get in
    await run("go", ["build", "-buildvcs=false", "-o", this.#gateway, "./gateway"], { cwd: ROOT });
    const args = ["dev", "--rate-limit", "off", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data-dir", this.#data];
    this.#child = spawn(this.#gateway, args, { env: environment(), stdio: ["ignore", "pipe", "pipe"] });
    this.#child.stderr.setEncoding("utf8").on("data", (text) => (this.#log += text));
    const greeting = await this.#greeting();
    this.url = greeting.match(/Sign-up page\s+(\S+)/)[1];
    const ready = await fetch(greeting.match(/Readiness\s+(\S+)/)[1]);
    assert.equal(ready.status, 200, "it is ready when it says where it is found");
  }

  /** Stops it as Ctrl-C does. What it leaves behind is an error. */
  async stop() {
    try {
      if (this.#child) await this.#interrupt();
    } finally {
      this.#abandon();
    }
  }

  /** The data of a GraphQL operation that must succeed. */
  async ask(query, variables = {}) {
    const response = await fetch(this.graphql, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    assert.equal(errors, undefined);
    return data;
  }

  /** Why a name cannot be had, as anybody is told; null for a free one. */
  async reason(name) {
    const query = "query ($name: String!) { usernameAvailable(name: $name) { reason } }";
    return (await this.ask(query, { name })).usernameAvailable.reason;
  }

  /** Holds a name, as another visitor would. */
  async reserve(name) {
    const mutation = `mutation ($input: ReserveUsernameInput!) {
      reserveUsername(input: $input) { ... on ReserveUsernamePayload { token } }
    }`;
    const { reserveUsername } = await this.ask(mutation, { input: { name, requestId: randomUUID() } });
    assert.ok(reserveUsername.token, `${name} is free`);
  }

  /** Gives a reservation back, as whoever has its token can. */
  async cancel(token) {
    const mutation = "mutation ($token: String!) { cancelReservation(input: {token: $token}) { __typename } }";
    const { cancelReservation } = await this.ask(mutation, { token });
    assert.equal(cancelReservation.__typename, "CancelReservationPayload");
  }

  /** Takes a name over as one that is in use. */
  async import(name) {
    const importing = run(this.#gateway, ["import", "--data-dir", this.#data, "-"], { env: environment() });
    importing.child.stdin.end(`${name}\n`);
    await importing;
  }

  /** The address of the GraphQL endpoint. */
  get graphql() {
    return `${this.url}graphql`;
  }

  get #gateway() {
    return join(this.#home, "gateway");
  }

  get #data() {
    return join(this.#home, "data");
  }

  /** What it prints when it has started. */
  async #greeting() {
    const deadline = setTimeout(() => this.#child.kill("SIGKILL"), START_MS);
    let text = "";
    for await (const line of createInterface({ input: this.#child.stdout })) {
      text += `${line}\n`;
      if (!line.startsWith("Ctrl-C")) continue;
      clearTimeout(deadline);
      this.#child.stdout.resume();
      return text;
    }
    clearTimeout(deadline);
    throw new Error(`it did not start:\n${text}${this.#log}`);
  }

  async #interrupt() {
    const postgres = await this.#postmaster();
    assert.ok(alive(postgres), `PostgreSQL ended before it was stopped:\n${this.#log}`);
    this.#child.kill("SIGINT");
    assert.equal(await exit(this.#child), 0, `it did not end well:\n${this.#log}`);
    assert.ok(!alive(postgres), `PostgreSQL outlives it as process ${postgres}`);
  }

  /** Leaves nothing behind, in a way that works when this process ends, too. */
  #abandon() {
    this.#child?.kill("SIGKILL"); // its PostgreSQL dies with it
    if (this.#home) rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  async #postmaster() {
    return Number((await readFile(join(this.#data, "pg/data/postmaster.pid"), "utf8")).split("\n")[0]);
  }
}

const run = promisify(execFile);

/** Ours without the settings of another gateway. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("NAMEGATE_")));
}

/** The exit code of a process, or the signal that ended it. */
async function exit(child) {
  const running = child.exitCode === null && child.signalCode === null;
  if (running) await once(child, "exit", { signal: AbortSignal.timeout(STOP_MS) });
  return child.exitCode ?? child.signalCode;
}

function alive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error.code === "ESRCH") return false;
    throw error;
  }
}
