// Holding a name, and giving it back.

import assert from "node:assert/strict";

import { SignUp } from "../signup.js";

export function hold(browser, replica) {
  browser.test("a name is held, over a reload, until it is given back", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.choose("my.name");
    await signUp.hold.click();
    await signUp.holds("my.name");
    await signUp.shows(/^(15:00|14:5\d) left$/);
    assert.equal(await reason("my.name"), "RESERVED");

    const token = await signUp.token.textContent();
    await page.reload();
    await signUp.holds("my.name");
    await signUp.shows(/^14:\d\d left$/);
    assert.equal(await signUp.token.textContent(), token);

    await signUp.giveBack.click();
    await signUp.says("my.name is given back: anybody can have it now.");
    assert.equal(await reason("my.name"), null);
    await signUp.choose("my.name");
  });

  browser.test("the countdown warns in its last minute and ends", async (page) => {
    await page.clock.install();
    const signUp = await SignUp.open(page);
    await signUp.choose("short.time");
    await signUp.hold.click();
    await signUp.holds("short.time");
    await page.clock.fastForward("14:10");
    await signUp.shows(/^0:[34]\d left$/);
    await signUp.says("Less than a minute is left.");
    await page.clock.fastForward("01:00");
    await signUp.says("The time is up: short.time is not held for you any more.");
    assert.equal(await signUp.name.inputValue(), "");
  });

  browser.test("a name lost after its check is not held", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.choose("lost.name");
    await replica.reserve("lost.name");
    await signUp.hold.click();
    await signUp.says("Somebody is signing up as lost.name right now. It may become free again in a while.");
    assert.ok(await signUp.hold.isDisabled());
    await signUp.choose("another.name");
  });

  /** Why a name cannot be had, as anybody is told. */
  async function reason(name) {
    const query = "query ($name: String!) { usernameAvailable(name: $name) { reason } }";
    return (await replica.ask(query, { name })).usernameAvailable.reason;
  }
}
