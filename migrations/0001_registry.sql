-- The tables of one database of the registry. Makes only new things, so it
-- blocks nobody. Every table that holds a vshard's rows leads with it, so that a
-- vshard can be moved; keys compare by bytes, so that no locale has a say. Functions
-- that name tables keep the search path of the migration, which is their schema alone:
-- a restore of a dump calls them with an empty one.

-- One row: what this database is, and what decides the keys in it.
CREATE TABLE identity (
    only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id              uuid    NOT NULL DEFAULT gen_random_uuid(),
    fingerprint     bytea,                      -- null until the first migration is done
    fleet           uuid[],                     -- the databases among which the vshards were first divided
    vshards_version bigint  NOT NULL DEFAULT 0, -- grows with any change of vshards
    vshards_tag     uuid    NOT NULL DEFAULT gen_random_uuid(), -- new and random at any change of vshards
    -- The highest xids of rows of the feed that were ever trimmed, and that were ever
    -- made past, and when their transactions began, written in the transactions that do
    -- so. What a reader had not seen up to the one may be gone, and is up to the other to
    -- be looked for in feed_past too.
    feed_trimmed    xid8    NOT NULL DEFAULT '0',
    feed_past       xid8    NOT NULL DEFAULT '0',
    feed_trimmed_at timestamptz NOT NULL DEFAULT '2000-01-01 00:00Z',
    feed_past_at    timestamptz NOT NULL DEFAULT '2000-01-01 00:00Z'
);
INSERT INTO identity DEFAULT VALUES;

-- Which vshards this database owns: route map and fence in one.
CREATE TABLE vshards (
    vshard       smallint PRIMARY KEY CHECK (vshard BETWEEN 0 AND 1023),
    state        text     COLLATE "C" NOT NULL CHECK (state IN ('OWNED', 'INCOMING', 'FROZEN', 'MOVED')),
    epoch        bigint   NOT NULL CHECK (epoch > 0),
    move_id      uuid     NOT NULL,             -- new and random at every change of state
    frozen_until timestamptz CHECK ((state = 'FROZEN') = (frozen_until IS NOT NULL)),
    -- How many builds of its filter were begun; epoch and build together only grow.
    build        bigint   NOT NULL DEFAULT 0
);

CREATE FUNCTION count_vshards_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE identity SET vshards_version = vshards_version + 1, vshards_tag = gen_random_uuid();
    RETURN NULL;
END $$;
CREATE TRIGGER vshards_changed AFTER INSERT OR UPDATE OF vshard, state, epoch, move_id, frozen_until OR DELETE OR TRUNCATE ON vshards
    FOR EACH STATEMENT EXECUTE FUNCTION count_vshards_change();

CREATE SEQUENCE feed_id AS bigint CACHE 1;

-- Who has an identifier. The primary key is the only arbiter of ownership.
-- kind: 1 USERNAME, 2 EMAIL, 3 PHONE, 4 LICENSE.
-- state: 1 RESERVED, 2 ACTIVE, 3 PROTECTED, 4 RELEASED (kept only while blocked).
-- The intent of a saga stands beside the state and changes nothing else. One CHECK,
-- as each costs a statement more than its test costs a row.
CREATE TABLE holdings (
    vshard         smallint    NOT NULL,
    kind           smallint    NOT NULL,
    state          smallint    NOT NULL,
    blocked        boolean     NOT NULL DEFAULT false,
    -- New at each change that the feed tells, below the id of that in the feed and of
    -- every later change, so that caches know what is newer.
    version        bigint      NOT NULL DEFAULT nextval('feed_id'),
    since          timestamptz NOT NULL,
    expire_at      timestamptz,
    grant_id       uuid        NOT NULL,        -- random for each tenure
    holder         uuid,                        -- the request that reserved it
    intent_grant   uuid,                        -- the tenure that the saga wants
    intent_request uuid,
    intent_vshard  smallint,                    -- where the saga is decided
    intent_attempt uuid,
    intent_until   timestamptz,                 -- then anybody may abort a saga that is not decided
    key            text        COLLATE "C" NOT NULL,
    canonical      text        COLLATE "C",     -- null for private kinds, like display
    display        text        COLLATE "C",
    owner          text        COLLATE "C",
    PRIMARY KEY (vshard, kind, key),
    CHECK (
        (state BETWEEN 1 AND 3 OR state = 4 AND blocked)
        AND (expire_at IS NOT NULL) = (state IN (1, 3))
        AND (intent_grant IS NULL) = (intent_request IS NULL)
        AND (intent_grant IS NULL) = (intent_vshard IS NULL)
        AND (intent_grant IS NULL) = (intent_attempt IS NULL)
        AND (intent_grant IS NULL) = (intent_until IS NULL)
    )
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- What can expire, for the sweeper. By time alone: new rows go to the index's
-- right end, which costs a third of an insert among all vshards.
CREATE INDEX holdings_expire ON holdings (expire_at) WHERE expire_at IS NOT NULL AND intent_grant IS NULL;

-- Intents whose sagas anybody may bring to their end, for the sweeper.
CREATE INDEX holdings_intent ON holdings (intent_until) WHERE intent_grant IS NOT NULL;

-- An account that has changed its names, or has a change under way. Whoever
-- changes it or its slots compares and counts up the version, so that what was
-- read before a change still holds when it is decided.
CREATE TABLE accounts (
    vshard          smallint    NOT NULL,       -- of the owner
    version         bigint      NOT NULL DEFAULT 1,
    renames         integer     NOT NULL DEFAULT 0,
    renamed_at      timestamptz,
    xid             xid8        NOT NULL DEFAULT pg_current_xact_id(),  -- of the last change, for movers
    owner           text        COLLATE "C" NOT NULL,
    former          text[]      COLLATE "C" NOT NULL DEFAULT '{}',      -- keys of former usernames that redirect, the newest first
    pending_request uuid,                       -- a change that is decided and not yet carried out everywhere
    pending_acts    bytea,                      -- what is left to do, as JSON; only gateways read it
    PRIMARY KEY (vshard, owner),
    CHECK ((pending_request IS NULL) = (pending_acts IS NULL))
);
CREATE INDEX accounts_pending ON accounts (vshard, owner) WHERE pending_request IS NOT NULL;

-- The identifiers of an account; a slot's number is below the account's limit for the kind.
CREATE TABLE slots (
    vshard    smallint    NOT NULL,
    kind      smallint    NOT NULL,
    slot      smallint    NOT NULL CHECK (slot >= 0),
    since     timestamptz NOT NULL DEFAULT now(),
    xid       xid8        NOT NULL DEFAULT pg_current_xact_id(),  -- of the last change, for movers
    grant_id  uuid        NOT NULL,
    owner     text        COLLATE "C" NOT NULL,
    key       text        COLLATE "C" NOT NULL,
    canonical text        COLLATE "C",          -- null for private kinds, like display
    display   text        COLLATE "C",
    PRIMARY KEY (vshard, owner, kind, slot)
);

-- The outcome of each request, so that a resend gets it again, and the decision of
-- each saga. state: 1 BEGUN, 2 COMMITTED, 3 CANCELLED (a reservation); a saga that is given up has no row.
-- Where the decision belongs to another vshard, the row names it and stays BEGUN.
CREATE TABLE requests (
    vshard     smallint    NOT NULL,
    state      smallint    NOT NULL,
    attempt    uuid,                            -- random, of a saga; what an old attempt does late finds another one here
    created_at timestamptz NOT NULL DEFAULT now(),
    since      timestamptz,                     -- of what it was granted, all at once
    expire_at  timestamptz,
    xid        xid8        NOT NULL DEFAULT pg_current_xact_id(),  -- of the last change, for movers
    id         uuid        NOT NULL,
    decided_in smallint,                        -- vshard of the decision, where it is another row
    owner      text        COLLATE "C",         -- of the account, where this is a saga's decision
    key_id     bytea,                           -- the key of the reservation token
    arguments  bytea       NOT NULL,            -- hash of operation and arguments
    granted    bytea,                           -- the holdings it was granted, as JSON in UTF-8; only gateways read it
    PRIMARY KEY (vshard, id)
);

-- Every change of a holding, for readers, and who did it: the trail of a day. A row
-- is what one statement changed, as arrays of equal length: one row a change cost a
-- reserve a tenth. change: 1 a holding came into being, 0 changed, -1 went. The
-- order of id is the order of changes of a key: it is drawn when the statement has
-- locked all its rows, and the sequence must never hand out numbers ahead (CACHE 1).
--
-- It is no partitioned table: a poll looks at it some times a second, and would pay
-- 10 us for each partition, as what is to come may come into any of them. When
-- its rows are of an hour, the table becomes a part of feed_past and a new one
-- takes its place (feed_rotate.go). packed is a row of one change as readers get it:
-- they are many, and arrays of one cost each of them ten times as much. A row of many
-- changes is packed for each reader, as it would cost writers a twentieth.
--
-- feed_pack gives: id, xid, at, length and text of cause, number of changes; for a
-- single one epoch, vshard, kind, change, state, then key and actor after their
-- lengths, else seven arrays. What does not fit together is given as arrays, for
-- the reader to refuse.
CREATE FUNCTION feed_pack(id bigint, xid xid8, at timestamptz, cause text, epochs bigint[], vshards smallint[], kinds smallint[],
    changes smallint[], states smallint[], keys text[], actors text[]) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF cardinality(keys) = 1 AND cardinality(epochs) = 1 AND cardinality(vshards) = 1 AND cardinality(kinds) = 1
        AND cardinality(changes) = 1 AND cardinality(states) = 1 AND cardinality(actors) = 1 THEN
        RETURN int8send(id) || xid8send(xid) || timestamptz_send(at) || int4send(octet_length(cause)) || textsend(cause) || int4send(1)
            || int8send(epochs[1]) || int2send(vshards[1]) || int2send(kinds[1]) || int2send(changes[1]) || int2send(states[1])
            || int4send(octet_length(keys[1])) || textsend(keys[1]) || int4send(octet_length(actors[1])) || textsend(actors[1]);
    END IF;
    RETURN int8send(id) || xid8send(xid) || timestamptz_send(at) || int4send(octet_length(cause)) || textsend(cause)
        || int4send(greatest(2, cardinality(keys))) || array_send(epochs) || array_send(vshards) || array_send(kinds) || array_send(changes)
        || array_send(states) || array_send(keys) || array_send(actors);
END $$;
CREATE TABLE feed (
    id      bigint      NOT NULL DEFAULT nextval('feed_id'),
    xid     xid8        NOT NULL DEFAULT pg_current_xact_id(),
    at      timestamptz NOT NULL DEFAULT now(),
    packed  bytea       GENERATED ALWAYS AS (CASE WHEN cardinality(keys) = 1
        THEN feed_pack(id, xid, at, cause, epochs, vshards, kinds, changes, states, keys, actors) END) STORED,
    cause   text        COLLATE "C" NOT NULL,
    epochs  bigint[]    NOT NULL,                -- of the vshard
    vshards smallint[]  NOT NULL,
    kinds   smallint[]  NOT NULL,
    changes smallint[]  NOT NULL,
    states  smallint[]  NOT NULL,                -- after the change; 4 when the row went
    keys    text[]      COLLATE "C" NOT NULL,
    actors  text[]      COLLATE "C" NOT NULL     -- subjects of the callers' access tokens, or parts of the gateway
);
CREATE INDEX ON feed (xid, id);
CREATE TABLE feed_past (LIKE feed INCLUDING ALL);

-- What a database owns, for whoever knows another tag than the present one: how many
-- vshards, and one, then vshard and epoch of each; 0 for those who know it, or do not ask (null).
CREATE FUNCTION feed_owned(known uuid, tag uuid) RETURNS bytea LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
    IF known IS NULL OR known = tag THEN
        RETURN int4send(0);
    END IF;
    RETURN (SELECT int4send(1 + count(*)::int) || coalesce(string_agg(int2send(vshard) || int8send(epoch), ''::bytea), '')
        FROM vshards WHERE state = 'OWNED');
END $$;

-- A poll: first what all polls say, as feed_head.go reads it; then, unless all is as
-- the reader knows it, the vshards that the database owns, when their tag is another
-- one than known (null: never), and all that the reader's position does not include, at
-- most 1025 rows of each sort: above newest, and of transactions that were running. The
-- position has the row newest, so while that is the newest one there is none above.
--
-- These are functions for their settings, which would cost as much again as statements
-- of their own, and for their plans. Each statement in them has one snapshot, newer
-- than its lock on the table, so they must be VOLATILE. The first one reads no more
-- than it must: most polls find nothing, and each table costs a tenth of an empty
-- statement. Its second one may look later than the first: what is not visible then was not
-- before, as nobody can put the table aside while this transaction has its lock.
CREATE FUNCTION feed_poll(newest xid8, began timestamptz, running xid8[], known uuid) RETURNS bytea LANGUAGE plpgsql VOLATILE
    SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
AS $$
DECLARE
    head bytea;
    top  xid8;
    put  xid8;
    top_at timestamptz;
    put_at timestamptz;
    tag  uuid;
    come boolean := false;
BEGIN
    SELECT boolsend(current_setting('transaction_isolation') = 'read committed') || boolsend(pg_is_in_recovery())
            || timestamptz_send(pg_postmaster_start_time()) || pg_snapshot_send(pg_current_snapshot())
            || uuid_send(i.id) || int8send(i.vshards_version) || uuid_send(i.vshards_tag)
            || xid8send(i.feed_trimmed) || timestamptz_send(i.feed_trimmed_at) || xid8send(i.feed_past) || timestamptz_send(i.feed_past_at),
        f.xid, f.at, i.feed_past, i.feed_past_at, i.vshards_tag
    INTO head, top, top_at, put, put_at, tag
    FROM identity i LEFT JOIN LATERAL (SELECT l.xid, l.at FROM feed l ORDER BY l.xid DESC LIMIT 1) f ON true;
    IF top IS NULL OR top < put THEN
        top := put;
        top_at := put_at;
    END IF;
    IF top = newest AND top_at = began AND coalesce(known, tag) = tag THEN
        IF cardinality(running) > 0 THEN
            come := EXISTS (SELECT FROM feed f WHERE f.xid = ANY (running));
        END IF;
        IF NOT come THEN
            RETURN head || xid8send(newest) || timestamptz_send(began);
        END IF;
    END IF;
    RETURN feed_news(newest, running, known);
END $$;
CREATE FUNCTION feed_news(newest xid8, running xid8[], known uuid) RETURNS bytea LANGUAGE plpgsql VOLATILE
    SET search_path FROM CURRENT SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0
AS $$
BEGIN
    RETURN (SELECT string_agg(p.part, ''::bytea) FROM (
        (SELECT boolsend(current_setting('transaction_isolation') = 'read committed') || boolsend(pg_is_in_recovery())
            || timestamptz_send(pg_postmaster_start_time()) || pg_snapshot_send(pg_current_snapshot())
            || uuid_send(i.id) || int8send(i.vshards_version) || uuid_send(i.vshards_tag)
            || xid8send(i.feed_trimmed) || timestamptz_send(i.feed_trimmed_at) || xid8send(i.feed_past) || timestamptz_send(i.feed_past_at)
            || coalesce((SELECT xid8send(f.xid) || timestamptz_send(f.at) FROM feed f WHERE f.xid = newest LIMIT 1), '\x00000000000000000000000000000000')
            || feed_owned(known, i.vshards_tag) AS part FROM identity i)
        UNION ALL
        (SELECT coalesce(f.packed, feed_pack(f.id, f.xid, f.at, f.cause, f.epochs, f.vshards, f.kinds, f.changes, f.states, f.keys, f.actors))
            FROM feed f WHERE f.xid > newest LIMIT 1025)
        UNION ALL
        (SELECT coalesce(f.packed, feed_pack(f.id, f.xid, f.at, f.cause, f.epochs, f.vshards, f.kinds, f.changes, f.states, f.keys, f.actors))
            FROM feed f WHERE f.xid = ANY (running) LIMIT 1025)
    ) p);
END $$;

-- Who did what to an identifier that an account owns or owned, when and why: the
-- lasting trail. Reservations come and go in the feed alone, as most lead to nothing.
CREATE SEQUENCE audit_id AS bigint CACHE 1;
CREATE TABLE audit (
    id       bigint      NOT NULL DEFAULT nextval('audit_id'),
    at       timestamptz NOT NULL DEFAULT now(),
    grant_id uuid        NOT NULL,
    vshard   smallint    NOT NULL,
    kind     smallint    NOT NULL,
    state    smallint    NOT NULL,              -- after the change
    cause    text        COLLATE "C" NOT NULL,
    key      text        COLLATE "C" NOT NULL,
    owner    text        COLLATE "C",
    actor    text        COLLATE "C" NOT NULL,  -- as in the feed
    note     text        COLLATE "C"
) PARTITION BY RANGE (at);
CREATE INDEX audit_key ON audit (vshard, kind, key);
CREATE TABLE audit_default PARTITION OF audit DEFAULT;
