// Waits that the page sits out before it tries again by itself.

import assert from "node:assert/strict";

import { fails, handle } from "../answers.js";
import { DEBOUNCE_MS, SignUp, stopClock } from "../signup.js";

const AWAY = "The service does not answer at the moment.";
const LONG_MS = 600_000;
const LONG = { code: "UNAVAILABLE", retryAfterMs: LONG_MS, message: `${AWAY} Trying again in 10 minutes.` };

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

export function wait(browser) {
  for (const refusal of REFUSALS) {
    browser.test(`${refusal.code} is told, and the check tried again by itself`, async (page) => {
      await stopClock(page);
      const signUp = await SignUp.open(page);
      await handle(page, [fails(refusal)]);
      await signUp.type("patient.name");
      await page.clock.runFor(DEBOUNCE_MS);
      await signUp.says(refusal.message);
      await page.clock.runFor(2000);
      await signUp.says("patient.name is free.");
    }, { expected: /^Failed to load resource: .* status of 429/ });
  }

  browser.test("a wait counts down, in minutes and then in seconds", async (page) => {
    await stopClock(page);
    const signUp = await SignUp.open(page);
    const requests = await handle(page, [fails(LONG)]);
    await signUp.type("waiting.name");
    await page.clock.runFor(DEBOUNCE_MS);
    await signUp.says(`${AWAY} Trying again in 10 minutes.`);
    await page.clock.runFor("05:00");
    await signUp.says(`${AWAY} Trying again in 5 minutes.`);
    await page.clock.runFor("03:01");
    await signUp.says(`${AWAY} Trying again in 119 seconds.`);
    await page.clock.runFor("01:58");
    await signUp.says(`${AWAY} Trying again in 1 second.`);
    assert.equal(requests.length, 1);
    await page.clock.runFor(1000);
    await signUp.says("waiting.name is free.");
  });

  browser.test("a wait ends when another name is typed", async (page) => {
    await stopClock(page);
    const signUp = await SignUp.open(page);
    const requests = await handle(page, [fails(LONG)]);
    await signUp.type("former.name");
    await page.clock.runFor(DEBOUNCE_MS);
    await signUp.says(LONG.message);
    await signUp.type("newer.name");
    await page.clock.runFor(DEBOUNCE_MS);
    await signUp.says("newer.name is free.");
    await page.clock.runFor(LONG_MS);
    await signUp.says("newer.name is free.");
    assert.equal(requests.length, 2);
  });

  // A screen reader would read a description that changes each second each second.
  browser.test("the countdown is no part of what describes the field", async (page) => {
    const signUp = await SignUp.open(page);
    await handle(page, [fails(LONG)]);
    await signUp.type("described.name");
    await signUp.says(LONG.message);
    const ids = (await signUp.name.getAttribute("aria-describedby")).split(" ");
    const texts = await Promise.all(ids.map((id) => page.locator(`#${id}`).textContent()));
    assert.deepEqual(texts, ["3 to 30 letters a–z, digits, dots and underscores.", AWAY]);
    assert.equal(await signUp.timer.getAttribute("aria-live"), "off");
  });
}
