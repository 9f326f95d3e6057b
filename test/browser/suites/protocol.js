// The audits of the GraphQL over HTTP working group's reference implementation,
// and the schema as any tool reads it.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

import { buildClientSchema, buildSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from "graphql";
import { serverAudits } from "graphql-http";

const SCHEMA = new URL("../../../graph/schema/", import.meta.url);

export function protocol(replica) {
  const audits = serverAudits({ url: () => replica.graphql });

  test("there are 61 audits", () => assert.equal(audits.length, 61));

  for (const { id, name, fn } of audits) {
    test(`audit ${id}: ${name}`, { timeout: 60_000 }, async () => {
      const { status, reason } = await fn();
      assert.equal(status, "ok", reason);
    });
  }

  test("introspection tells the schema of the repository", async () => {
    const served = buildClientSchema(await replica.ask(getIntrospectionQuery({ specifiedByUrl: true })));
    assert.equal(printed(served), printed(buildSchema(await sources())));
  });
}

async function sources() {
  const names = (await readdir(SCHEMA)).filter((name) => name.endsWith(".graphqls"));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, SCHEMA), "utf8")));
  return texts.join("\n");
}

const printed = (schema) => printSchema(lexicographicSortSchema(schema));
