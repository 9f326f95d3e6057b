// What the page says and does when it gets no answer.

import assert from "node:assert/strict";

import { fails, handle, lose, variables } from "../answers.js";
import { DEBOUNCE_MS, SignUp, stopClock } from "../signup.js";

const AWAY = "The service does not answer at the moment.";

const DEAD_ENDS = [
  { code: "UNAVAILABLE", retryAfterMs: 600_000, message: `${AWAY} Trying again in 10 minutes.` },
  { code: "TIMEOUT", message: AWAY },
  { code: "INTERNAL", message: "Something went wrong on our side." },
];

const NO_RESPONSE = { expected: /^Failed to load resource: net::ERR_/ };

export function outage(browser) {
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

  browser.test("a second click on Try again holds nothing", async (page) => {
    const signUp = await SignUp.open(page);
    await handle(page, [fails(DEAD_ENDS[1])]);
    await signUp.type("twice.tried");
    await signUp.retry.click();
    await signUp.says("twice.tried is free.");
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    assert.ok(await signUp.hold.isEnabled());
    await signUp.hold.click();
    await signUp.holds("twice.tried");
  });

  browser.test("a hold that a reload did not find is asked for once when tried by hand", async (page) => {
    await stopClock(page);
    const signUp = await SignUp.open(page);
    await signUp.type("found.name");
    await page.clock.runFor(DEBOUNCE_MS);
    await signUp.says("found.name is free.");
    await signUp.hold.click();
    await signUp.holds("found.name");
    const requests = await handle(page, [fails({ code: "UNAVAILABLE", retryAfterMs: 1000 })]);
    await page.reload();
    await signUp.says(`${AWAY} Trying again in 1 second.`);
    await signUp.retry.click();
    await signUp.holds("found.name");
    await page.clock.runFor(2000);
    await signUp.giveBack.click();
    await signUp.says("found.name is given back: anybody can have it now.");
    assert.equal(requests.length, 3, "refused, found, given back");
  });

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

function assertOneAttempt(requests) {
  const ids = requests.map((request) => variables(request).input.requestId);
  assert.equal(ids.length, 2);
  assert.equal(ids[1], ids[0], "both requests belong to one attempt");
}
