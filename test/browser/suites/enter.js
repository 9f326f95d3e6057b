// Enter, pressed before it is known whether the name is free.

import assert from "node:assert/strict";

import { collect, delay, fails, handle } from "../answers.js";
import { DEBOUNCE_MS, SignUp, stopClock } from "../signup.js";

export function enter(browser, replica) {
  browser.test("Enter before the check holds the name once it is free", async (page) => {
    await stopClock(page);
    const signUp = await SignUp.open(page);
    const asked = collect(page);
    await signUp.type("eager.name");
    await page.keyboard.press("Enter");
    assert.deepEqual(asked, []);
    await page.clock.runFor(1000);
    await signUp.holds("eager.name");
  });

  browser.test("Enter during the check holds the name once it is free", async (page) => {
    const signUp = await SignUp.open(page);
    const answer = await delay(page, "quick.name");
    await signUp.type("quick.name");
    await answer.asked;
    await page.keyboard.press("Enter");
    answer.open();
    await signUp.holds("quick.name");
  });

  browser.test("Enter holds nothing once the text has changed, and changed back", async (page) => {
    const signUp = await SignUp.open(page);
    const answer = await delay(page, "fickle.name");
    await signUp.type("fickle.name");
    await answer.asked;
    await page.keyboard.press("Enter");
    await page.keyboard.type("s");
    await page.keyboard.press("Backspace");
    answer.open();
    await signUp.says("fickle.name is free.");
    assert.ok(await signUp.hold.isEnabled());
    assert.equal(await replica.reason("fickle.name"), null);
  });

  browser.test("Enter on a name that is not free holds nothing, nor the next one", async (page) => {
    await replica.reserve("popular.name");
    const signUp = await SignUp.open(page);
    await signUp.type("popular.name");
    await page.keyboard.press("Enter");
    await signUp.says("Somebody is signing up as popular.name right now. It may become free again in a while.");
    await page.keyboard.press("Enter");
    await signUp.choose("unpopular.name");
    assert.ok(await signUp.hold.isEnabled());
    assert.equal(await replica.reason("unpopular.name"), null);
  });

  browser.test("Enter is remembered over an outage", async (page) => {
    await stopClock(page);
    const signUp = await SignUp.open(page);
    await handle(page, [fails({ code: "UNAVAILABLE", retryAfterMs: 1000 })]);
    await signUp.type("resolute.name");
    await page.keyboard.press("Enter");
    await page.clock.runFor(DEBOUNCE_MS);
    await signUp.says("The service does not answer at the moment. Trying again in 1 second.");
    await page.clock.runFor(2000);
    await signUp.holds("resolute.name");
  });
}
