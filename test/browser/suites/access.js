// The page without a mouse and on a small screen.

import assert from "node:assert/strict";

import { SignUp } from "../signup.js";

const WIDEST = "w".repeat(30); // no name is wider

const DESKTOP = { width: 1280, height: 720 };
const PHONES = [{ width: 360, height: 800 }, { width: 320, height: 480 }, { width: 640, height: 320 }];
const VISIBLE = 3; // contrast of what is needed to find a control (WCAG 2.2, 1.4.11)

export function access(browser, replica) {
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
    await page.keyboard.press("Enter");
    await signUp.token.waitFor();
    await page.keyboard.press("Tab");
    await focused(signUp.confirm);
    await page.keyboard.press("Tab");
    await focused(signUp.giveBack);
    await page.keyboard.press("Space");
    await signUp.says("keyboard.name is given back: anybody can have it now.");
    await focused(signUp.name);

    await page.keyboard.type("keyboard.again");
    await signUp.says("keyboard.again is free.");
    await page.keyboard.press("Enter"); // in the field, too
    await signUp.holds("keyboard.again");
  });

  browser.test("the keyboard is enough for an account", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.take("keys.alone");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await focused(signUp.confirm);
    await page.keyboard.press("Enter");
    await signUp.owns("keys.alone");
    await focused(page.getByRole("region", { name: "keys.alone is yours" }));

    await page.keyboard.press("Tab");
    await focused(signUp.newName);
    await page.keyboard.type("keys.only");
    await page.keyboard.press("Enter");
    await signUp.owns("keys.only");
    await focused(signUp.newName);

    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await focused(signUp.another);
    await page.keyboard.press("Space");
    await focused(signUp.name);
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
    await signUp.confirm.click();
    await signUp.owns(WIDEST);
    await signUp.renameTo("x".repeat(200));
    await signUp.says("A username has at most 30 characters.");
    await fits(page);
  }, { viewport: { width: 320, height: 480 } });

  for (const viewport of [DESKTOP, ...PHONES]) {
    browser.test(`the field stays where it is while one types, at a width of ${viewport.width}`, async (page) => {
      const held = `${"m".repeat(25)}.${viewport.width}`;
      await replica.reserve(held);
      const signUp = await SignUp.open(page);
      const before = await signUp.name.boundingBox();
      for (const [name, text] of [
        ["ab", "A username has at least 3 characters."],
        ["a b", "A space cannot be used: only letters a–z, digits, dots and underscores."],
        ["a..b", "Two dots or underscores cannot stand next to each other."],
        [held, `Somebody is signing up as ${held} right now. It may become free again in a while.`],
      ]) {
        await signUp.type(name);
        await signUp.says(text);
        assert.deepEqual(await signUp.name.boundingBox(), before, text);
      }
    }, { viewport });

    browser.test(`the buttons of the panel open below where Hold was, at a width of ${viewport.width}`, async (page) => {
      const signUp = await SignUp.open(page);
      for (const name of [`i.${viewport.width}`, `${"w".repeat(25)}.${viewport.width}`]) {
        await signUp.choose(name);
        await signUp.hold.hover(); // scrolls to it where need be
        const hold = await signUp.hold.boundingBox();
        await signUp.hold.click();
        await signUp.holds(name);
        const title = await page.getByRole("heading").boundingBox();
        assert.ok(title.y >= 0, "the title can be seen");
        for (const button of [signUp.giveBack, signUp.confirm]) {
          const { y } = await button.boundingBox();
          assert.ok(y > hold.y + hold.height, `${y} is not below ${hold.y} + ${hold.height}`);
        }
        await signUp.giveBack.click();
        await signUp.says(`${name} is given back: anybody can have it now.`);
      }
    }, { viewport });
  }

  for (const colorScheme of ["light", "dark"]) {
    browser.test(`the edges of controls can be seen, in ${colorScheme}`, async (page) => {
      const signUp = await SignUp.open(page);
      await signUp.name.blur();
      await visible(page.locator("#choose .field"));
      await signUp.choose(`edge.${colorScheme}`);
      await signUp.hold.click();
      await signUp.holds(`edge.${colorScheme}`);
      await visible(signUp.giveBack);
      await signUp.confirm.click();
      await signUp.owns(`edge.${colorScheme}`);
      await visible(signUp.another);
      await signUp.another.focus();
      await visible(page.locator("#rename .field"));
    }, { colorScheme });
  }
}

/** Checks the border of an element against what is behind it. */
async function visible(element) {
  const [border, ground] = await element.evaluate((node) => [
    getComputedStyle(node).borderTopColor,
    getComputedStyle(node.closest("main")).backgroundColor,
  ]);
  const [darker, lighter] = [luminance(border), luminance(ground)].sort((a, b) => a - b);
  const contrast = (lighter + 0.05) / (darker + 0.05);
  assert.ok(contrast >= VISIBLE, `${border} on ${ground} has a contrast of ${contrast.toFixed(2)}`);
}

/** Relative luminance (WCAG 2.2) of an opaque colour, written as rgb(r, g, b). */
function luminance(color) {
  const [r, g, b] = color.match(/^rgb\((\d+), (\d+), (\d+)\)$/).slice(1).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Waits until an element has the focus. */
async function focused(element) {
  await element.and(element.page().locator(":focus")).waitFor();
}

async function fits(page) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `the page is ${content} pixels wide and its window ${window}`);
}
