// Chromium, and tests that get a page of it.

import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { chromium } from "playwright-core";

const WAIT_MS = 20_000; // for anything that a page is to show
const TEST_MS = 120_000;

const FLAGS = [
  "--no-sandbox", // root has none
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-proxy-server",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

export class Browser {
  #replica;
  #chromium;
  #shots; // the folder of the screenshots, once there is one

  constructor(replica) {
    this.#replica = replica;
  }

  async start() {
    this.#chromium = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
  }

  async stop() {
    await this.#chromium?.close();
  }

  /**
   * Registers a test. Its page has a fresh profile, reaches the replica alone, and
   * must neither ask for another host nor log an error; `expected` matches those
   * errors that the test causes. Other options are those of a browser context.
   */
  test(name, body, { expected = /^$/, ...options } = {}) {
    test(name, { timeout: TEST_MS }, async (t) => {
      const context = await this.#chromium.newContext({ baseURL: this.#replica.url, serviceWorkers: "block", ...options });
      context.setDefaultTimeout(WAIT_MS);
      const faults = await watch(context, this.#replica.url);
      const page = await context.newPage();
      try {
        await body(page);
        assert.deepEqual(faults.filter((fault) => !expected.test(fault)), []);
      } catch (error) {
        await this.#shoot(t, page);
        throw error;
      } finally {
        await context.close();
      }
    });
  }

  async #shoot(t, page) {
    this.#shots ??= await mkdtemp(join(tmpdir(), "namegate-screenshots-"));
    const path = join(this.#shots, `${t.name.replaceAll(/\W+/g, "-")}.png`);
    await page.screenshot({ path });
    t.diagnostic(`screenshot: ${path}`);
  }
}

/** Collects what pages log as errors, violations of their policy too, and blocks other hosts. */
async function watch(context, url) {
  const faults = [];
  context.on("weberror", (error) => faults.push(error.error().message));
  context.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await context.route(
    (address) => address.protocol.startsWith("http") && address.origin !== new URL(url).origin,
    (route) => {
      faults.push(`asks for ${route.request().url()}`);
      return route.abort();
    },
  );
  return faults;
}
