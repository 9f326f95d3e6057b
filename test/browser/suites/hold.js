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
    assert.equal(await replica.reason("my.name"), "RESERVED");

    const token = await signUp.token.textContent();
    await page.reload();
    await signUp.holds("my.name");
    await signUp.shows(/^14:\d\d left$/);
    assert.equal(await signUp.token.textContent(), token);

    await signUp.giveBack.click();
    await signUp.says("my.name is given back: anybody can have it now.");
    assert.equal(await replica.reason("my.name"), null);
    await signUp.choose("my.name");
  });

  browser.test("a second click on Hold gives nothing back", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.choose("double.click");
    const { x, y, width, height } = await signUp.hold.boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await signUp.holds("double.click");
    await page.mouse.click(x + width / 2, y + height / 2);
    await signUp.holds("double.click");
    assert.equal(await replica.reason("double.click"), "RESERVED");
    await signUp.giveBack.hover(); // a click that counted would have closed the panel by now
    assert.equal(await replica.reason("double.click"), "RESERVED");
  });

  browser.test("the panel takes no click at first", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.choose("early.click");
    await signUp.hold.hover();
    const speed = await animations(page);
    await speed(0);
    await page.mouse.down();
    await page.mouse.up();
    await signUp.holds("early.click");
    const { x, y, width, height } = await signUp.giveBack.boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await speed(1);
    await signUp.giveBack.hover(); // a click that counted would have closed the panel by now
    assert.equal(await replica.reason("early.click"), "RESERVED");
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
}

/** Sets how fast the animations of a page run; at 0 they stand still. */
async function animations(page) {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Animation.enable");
  return (playbackRate) => devTools.send("Animation.setPlaybackRate", { playbackRate });
}
