// Checking a name while it is typed.

import assert from "node:assert/strict";

import { asksFor, gate } from "../answers.js";
import { SignUp } from "../signup.js";

const ALPHABET = "only letters a–z, digits, dots and underscores.";

const RULES = {
  "ab": "A username has at least 3 characters.",
  "a234567890123456789012345678901": "A username has at most 30 characters.",
  "two words": `A space cannot be used: ${ALPHABET}`,
  "naïve": `“ï” cannot be used: ${ALPHABET}`,
  "smile😀": `“😀” cannot be used: ${ALPHABET}`,
  "_start": "A username starts with a letter or a digit.",
  "end.": "A username ends with a letter or a digit.",
  "two..dots": "Two dots or underscores cannot stand next to each other.",
};

export function check(browser, replica) {
  browser.test("a free name shows as free", async (page) => {
    const signUp = await SignUp.open(page);
    assert.ok(await signUp.hold.isDisabled(), "there is nothing to hold yet");
    await signUp.choose("free.name");
    assert.ok(await signUp.hold.isEnabled());
  });

  for (const [name, rule] of Object.entries(RULES)) {
    browser.test(`${name} breaks a rule: ${rule}`, (page) => refused(page, name, rule));
  }

  browser.test("a barred word is not allowed", (page) =>
    refused(page, "admin", "admin cannot be used as a username here."));

  browser.test("a name in use is taken, in capitals too", async (page) => {
    await replica.import("taken.name");
    await refused(page, "taken.name", "taken.name is taken.");
    await refused(page, "Taken.Name", "Taken.Name is taken.");
  });

  browser.test("names that are free are offered in place of one that is not", async (page) => {
    await replica.import("ann.taken");
    const signUp = await SignUp.open(page);
    await signUp.type("Ann.Taken");
    await signUp.says("Ann.Taken is taken.");
    const ideas = page.getByRole("group", { name: "Free at the moment:" }).getByRole("button");
    await ideas.first().waitFor();
    assert.deepEqual(await ideas.allInnerTexts(), ["anntaken", "ann_taken", "a.taken"]);
    await ideas.nth(1).click();
    await signUp.says("ann_taken is free.");
    assert.equal(await signUp.name.inputValue(), "ann_taken");
    assert.equal(await ideas.count(), 0, "they go when one is chosen");
    assert.ok(await signUp.name.evaluate((name) => name === document.activeElement), "one can type on");
    await signUp.hold.click();
    await signUp.holds("ann_taken");
  });

  browser.test("of text without a letter of a name, others are offered", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.type("李小龙");
    await page.getByRole("button", { name: "li.xiao.long", exact: true }).click();
    await signUp.says("li.xiao.long is free.");
  });

  browser.test("a name that somebody holds may become free again", async (page) => {
    await replica.reserve("others.name");
    await refused(page, "others.name", "Somebody is signing up as others.name right now. It may become free again in a while.");
  });

  browser.test("a late answer never overwrites a newer one", async (page) => {
    const signUp = await SignUp.open(page);
    const late = gate();
    await page.route("**/graphql", async (route) => {
      if (asksFor("ab")(route.request())) await late.opened;
      await route.continue();
    });
    const asked = page.waitForRequest(asksFor("ab"));
    await signUp.type("ab");
    const first = await asked;
    await signUp.name.pressSequentially("ove.all");
    await signUp.says("above.all is free.");
    late.open();
    await first.response(); // null where the page cut it off
    await settled(page);
    assert.equal(await signUp.said(), "above.all is free.");
    assert.ok(await signUp.hold.isEnabled());
  });
}

async function refused(page, name, message) {
  const signUp = await SignUp.open(page);
  await signUp.type(name);
  await signUp.says(message);
  assert.ok(await signUp.hold.isDisabled());
}

/** Waits until the page has handled what has reached it. */
function settled(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
