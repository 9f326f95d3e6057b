// The page without a mouse and on a small screen.

import assert from "node:assert/strict";

import { SignUp } from "../signup.js";

const WIDEST = "w".repeat(30); // no name is wider

export function access(browser) {
  browser.test("the keyboard is enough", async (page) => {
    const signUp = await SignUp.open(page);
    await page.keyboard.type("keyboard.name"); // the field has the focus
    await signUp.says("keyboard.name is free.");
    await page.keyboard.press("Tab");
    await focused(signUp.hold);
    await page.keyboard.press("Enter");
    await signUp.holds("keyboard.name");
    await focused(page.getByRole("region", { name: "keyboard.name is held for you" }));

    await page.keyboard.press("Tab");
    await focused(signUp.giveBack);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await signUp.token.waitFor();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    await signUp.says("keyboard.name is given back: anybody can have it now.");
    await focused(signUp.name);

    await page.keyboard.type("keyboard.again");
    await signUp.says("keyboard.again is free.");
    await page.keyboard.press("Enter"); // in the field, too
    await signUp.holds("keyboard.again");
  });

  browser.test("nothing is wider than a small phone", async (page) => {
    const signUp = await SignUp.open(page);
    await fits(page);
    await signUp.type("x".repeat(200));
    await signUp.says("A username has at most 30 characters.");
    await fits(page);
    await signUp.choose(WIDEST);
    await fits(page);
    await signUp.hold.click();
    await signUp.holds(WIDEST);
    await page.getByText("Reservation token").click();
    await signUp.token.waitFor();
    await fits(page);
  }, { viewport: { width: 320, height: 480 } });
}

/** Waits until an element has the focus. */
async function focused(element) {
  await element.and(element.page().locator(":focus")).waitFor();
}

async function fits(page) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `the page is ${content} pixels wide and its window ${window}`);
}
