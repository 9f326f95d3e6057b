// What the page says and does when it gets no answer.

import assert from "node:assert/strict";

import { SignUp, gate, variables } from "../signup.js";

const AWAY = "The service does not answer at the moment.";
const LONG_MS = 600_000;

const REFUSALS = [
  { code: "UNAVAILABLE", retryAfterMs: 1000, message: `${AWAY} Trying again in 1 second.` },
  { code: "OVERLOADED", retryAfterMs: 1500, message: "Many people are choosing names right now. Trying again in 2 seconds." },
  {
    code: "RATE_LIMITED",
    status: 429,
    headers: { "Retry-After": "1" },
    message: "That was a lot of names in a short time. Trying again in 1 second.",
  },
];

const DEAD_ENDS = [
  { code: "UNAVAILABLE", retryAfterMs: LONG_MS, message: `${AWAY} Trying again in 600 seconds.` },
  { code: "TIMEOUT", message: AWAY },
  { code: "INTERNAL", message: "Something went wrong on our side." },
];

const NO_RESPONSE = { expected: /^Failed to load resource: net::ERR_/ };

export function outage(browser) {
  for (const refusal of REFUSALS) {
    browser.test(`${refusal.code} is told, and the check tried again by itself`, async (page) => {
      const signUp = await SignUp.open(page);
      const again = gate();
      await handle(page, [fails(refusal), (route) => again.opened.then(() => route.continue())]);
      await signUp.type("patient.name");
      await signUp.says(refusal.message);
      again.open();
      await signUp.says("patient.name is free.");
    }, { expected: /^Failed to load resource: .* status of 429/ });
  }

  for (const deadEnd of DEAD_ENDS) {
    browser.test(`${deadEnd.code} ${deadEnd.retryAfterMs ? "for long" : "without a time"} can be tried again by hand`, async (page) => {
      const signUp = await SignUp.open(page);
      await handle(page, [fails(deadEnd)]);
      await signUp.type("impatient.name");
      await signUp.says(deadEnd.message);
      assert.ok(await signUp.hold.isHidden());
      await signUp.retry.click();
      await signUp.says("impatient.name is free.");
      assert.ok(await signUp.retry.isHidden());
    });
  }

  browser.test("another name can be typed instead of a retry", async (page) => {
    const signUp = await SignUp.open(page);
    await handle(page, [fails(DEAD_ENDS[0])]);
    await signUp.type("first.name");
    await signUp.says(DEAD_ENDS[0].message);
    await signUp.choose("other.name");
  });

  browser.test("a server that is gone can be tried again", async (page) => {
    const signUp = await SignUp.open(page);
    await handle(page, [(route) => route.abort()]);
    await signUp.type("distant.name");
    await signUp.says("The service cannot be reached.");
    await signUp.retry.click();
    await signUp.says("distant.name is free.");
  }, NO_RESPONSE);

  browser.test("a hold whose answer is lost is found again", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.choose("lost.answer");
    const requests = await handle(page, [lose]);
    await signUp.hold.click();
    await signUp.says("The service cannot be reached.");
    await signUp.retry.click();
    await signUp.holds("lost.answer");
    assertOneAttempt(requests);
  }, NO_RESPONSE);

  browser.test("a hold whose answer is lost is found again after a reload", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.choose("reloaded.name");
    const requests = await handle(page, [lose]);
    await signUp.hold.click();
    await signUp.says("The service cannot be reached.");
    await page.reload();
    await signUp.holds("reloaded.name");
    assertOneAttempt(requests);
  }, NO_RESPONSE);

  browser.test("a name that could not be given back is still held", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.choose("stubborn.name");
    await signUp.hold.click();
    await signUp.holds("stubborn.name");
    await handle(page, [fails({ code: "UNAVAILABLE", retryAfterMs: 1000 })]);
    await signUp.giveBack.click();
    await signUp.says(AWAY);
    await signUp.giveBack.click();
    await signUp.says("stubborn.name is given back: anybody can have it now.");
  });
}

/** Answers the next GraphQL requests by these handlers, in turn; then the server does. */
async function handle(page, handlers) {
  const requests = [];
  await page.route("**/graphql", (route) => {
    const handler = handlers[requests.length] ?? ((rest) => rest.continue());
    requests.push(route.request());
    return handler(route);
  });
  return requests;
}

/** A handler that answers with an error. */
function fails({ code, retryAfterMs, status = 200, headers = {} }) {
  const body = { errors: [{ message: "no", extensions: { code, retryAfterMs } }] };
  return (route) => route.fulfill({ status, headers, contentType: "application/graphql-response+json", json: body });
}

/** A handler that lets the server do its work and keeps the answer from the page. */
async function lose(route) {
  await route.fetch();
  await route.abort();
}

function assertOneAttempt(requests) {
  const ids = requests.map((request) => variables(request).input.requestId);
  assert.equal(ids.length, 2);
  assert.equal(ids[1], ids[0], "both requests belong to one attempt");
}
