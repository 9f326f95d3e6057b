// End-to-end tests of one replica, in a browser. They share the replica, so each
// has names of its own.

import { after, before, describe } from "node:test";

import { Browser } from "./browser.js";
import { Replica } from "./replica.js";
import { access } from "./suites/access.js";
import { account } from "./suites/account.js";
import { check } from "./suites/check.js";
import { enter } from "./suites/enter.js";
import { hold } from "./suites/hold.js";
import { outage } from "./suites/outage.js";
import { playground } from "./suites/playground.js";
import { protocol } from "./suites/protocol.js";
import { wait } from "./suites/wait.js";

const replica = new Replica();
const browser = new Browser(replica);

describe("one replica", () => {
  before(() => replica.start(), { timeout: 300_000 });
  before(() => browser.start(), { timeout: 60_000 });
  after(() => browser.stop(), { timeout: 60_000 });
  after(() => replica.stop(), { timeout: 120_000 });

  describe("sign-up page: checking", () => check(browser, replica));
  describe("sign-up page: holding", () => hold(browser, replica));
  describe("sign-up page: Enter", () => enter(browser, replica));
  describe("sign-up page: accounts", () => account(browser, replica));
  describe("sign-up page: access", () => access(browser, replica));
  describe("sign-up page: outages", () => outage(browser));
  describe("sign-up page: waits", () => wait(browser));
  describe("playground", () => playground(browser));
  describe("GraphQL over HTTP", () => protocol(replica));
});
