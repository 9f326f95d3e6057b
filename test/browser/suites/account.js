// A demo account: it confirms a name and moves to others.

import assert from "node:assert/strict";

import { fails, gate, gives, handle, lose, variables } from "../answers.js";
import { SignUp } from "../signup.js";

const AWAY = "The service does not answer at the moment.";
const NO_RESPONSE = { expected: /^Failed to load resource: net::ERR_/ };
const NO_DEMO = { expected: /^Failed to load resource: .* status of 404/ };

/** Refusals of a confirmation, what the page says, and whether the name is still held. */
const UNCONFIRMED = [
  [{ __typename: "UnavailableError", message: "no", reason: "TAKEN" }, (name) => `The time was up, and ${name} went to somebody else.`, false],
  [{ __typename: "OwnerLimitError", message: "no" }, () => "This account has a username already.", true],
  [{ __typename: "RequestConflictError", message: "Used." }, () => "Used.", true],
  [{ __typename: "SomeLaterError", message: "Later." }, () => "Later.", true],
];

/** Refusals of a rename that no replica under test gives, and what the page says. */
const UNRENAMED = [
  [{ __typename: "NotOwnerError", message: "no" }, "This account has no username any more."],
  [{ __typename: "UnavailableError", message: "no", reason: "CONFUSABLE" }, "odd.name is too easily mistaken for a name in use."],
  [{ __typename: "RequestConflictError", message: "Used." }, "Used."],
  [{ __typename: "SomeLaterError", message: "Later." }, "Later."],
];

export function account(browser, replica) {
  browser.test("a name that is confirmed is one's own, also after a reload", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.signUp("Own.Name");
    assert.equal(await replica.reason("own.name"), "TAKEN");
    const id = await page.locator("#owned .account").textContent();
    assert.match(id, /^user:[0-9a-f]{12}$/);
    await page.reload();
    await signUp.owns("Own.Name");
    assert.equal(await page.locator("#owned .account").textContent(), id);
  });

  browser.test("an account moves to another name and leaves the former one protected", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.signUp("before.move");
    await signUp.renameTo("After.Move");
    await signUp.owns("After.Move");
    assert.match(await signUp.said(), /^Your name is After\.Move now\. before\.move is kept for you until \d+ \w+ \d{4} at \d\d:\d\d\.$/);
    assert.equal(await replica.reason("before.move"), "PROTECTED");
    assert.equal(await replica.reason("after.move"), "TAKEN");

    await signUp.renameTo("AFTER.move");
    await signUp.says("Your name is spelled AFTER.move now.");
    await signUp.owns("AFTER.move");

    await signUp.renameTo("third.move");
    await signUp.status.filter({ hasText: "changed not long ago" }).waitFor();
    assert.match(await signUp.said(), /^The name was changed not long ago\. It can be changed again on \d+ \w+ \d{4} at \d\d:\d\d\.$/);
    await page.reload();
    await signUp.owns("AFTER.move");
  });

  browser.test("why an account is not renamed is said in words", async (page) => {
    await replica.import("moved.into");
    await replica.reserve("held.meanwhile");
    const signUp = await SignUp.open(page);
    await signUp.signUp("stays.put");
    for (const [name, text] of [
      ["moved.into", "moved.into is taken."],
      ["held.meanwhile", "Somebody is signing up as held.meanwhile right now. It may become free again in a while."],
      ["admin", "admin cannot be used as a username here."],
      ["a b", "A space cannot be used: only letters a–z, digits, dots and underscores."],
      ["ab", "A username has at least 3 characters."],
    ]) {
      await signUp.renameTo(name);
      await signUp.says(text);
      await signUp.owns("stays.put");
    }
    for (const [result, text] of UNRENAMED) {
      await handle(page, [gives("renameUsername", result)]);
      await signUp.renameTo("odd.name");
      await signUp.says(text);
      await page.unrouteAll();
    }
  });

  for (const [result, text, held] of UNCONFIRMED) {
    browser.test(`${result.__typename} is said in words`, async (page) => {
      const name = `${result.__typename.slice(0, 14)}.not`;
      const signUp = await SignUp.open(page);
      await signUp.take(name);
      await handle(page, [gives("confirmReservation", result)]);
      await signUp.confirm.click();
      await signUp.says(text(name));
      if (!held) return signUp.choose(`other.${name}`);
      await signUp.giveBack.click();
      await signUp.says(`${name} is given back: anybody can have it now.`);
    });
  }

  browser.test("a name that was given back elsewhere is not confirmed", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.take("gone.elsewhere");
    await replica.cancel(await signUp.token.textContent());
    await signUp.confirm.click();
    await signUp.says("gone.elsewhere is not held for you any more.");
    await signUp.choose("gone.elsewhere");
  });

  browser.test("an account has one name, and the next one signs up anew", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.signUp("first.account");
    const first = await page.locator("#owned .account").textContent();
    await signUp.another.click();
    await signUp.signUp("second.account");
    assert.notEqual(await page.locator("#owned .account").textContent(), first);
  });

  browser.test("a confirmation whose answer is lost is asked for once more, not twice", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.take("twice.asked");
    const requests = await handle(page, [lose]);
    await signUp.confirm.click();
    await signUp.says("The service cannot be reached.");
    assert.ok(await signUp.giveBack.isDisabled(), "nobody knows whether it can be given back");
    await signUp.confirm.click();
    await signUp.owns("twice.asked");
    assertOneRequest(requests);
  }, NO_RESPONSE);

  browser.test("a confirmation whose answer is lost is found after a reload", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.take("found.owned");
    const requests = await handle(page, [lose, (route) => route.continue(), (route) => route.continue()]);
    await signUp.confirm.click();
    await signUp.says("The service cannot be reached.");
    await page.reload();
    await signUp.owns("found.owned");
    assertOneRequest(requests.filter((request) => variables(request).input));
  }, NO_RESPONSE);

  browser.test("a confirmation that never arrived can be made after a reload", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.take("never.arrived");
    await handle(page, [(route) => route.abort()]);
    await signUp.confirm.click();
    await signUp.says("The service cannot be reached.");
    await page.reload();
    await signUp.holds("never.arrived");
    await signUp.confirm.click();
    await signUp.owns("never.arrived");
  }, NO_RESPONSE);

  browser.test("a rename whose answer is lost is asked for once more, not twice", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.signUp("lost.rename");
    const requests = await handle(page, [lose]);
    await signUp.renameTo("found.rename");
    await signUp.says("The service cannot be reached.");
    await signUp.rename.click();
    await signUp.owns("found.rename");
    assertOneRequest(requests);
    assert.equal(await replica.reason("lost.rename"), "PROTECTED");
  }, NO_RESPONSE);

  browser.test("an outage is said in words, and is no end", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.take("patient.account");
    await handle(page, [fails({ code: "UNAVAILABLE", retryAfterMs: 1000 })]);
    await signUp.confirm.click();
    await signUp.says(AWAY);
    await signUp.confirm.click();
    await signUp.owns("patient.account");
    await page.unrouteAll();
    await handle(page, [fails({ code: "FORBIDDEN" })]);
    await signUp.renameTo("patient.renamed");
    await signUp.says("The demo account may not do that.");
    await signUp.rename.click();
    await signUp.owns("patient.renamed");
  });

  browser.test("a countdown that ends does not cut a confirmation off", async (page) => {
    await page.clock.install();
    const signUp = await SignUp.open(page);
    await signUp.take("last.second");
    const answer = gate();
    await handle(page, [async (route) => {
      await answer.opened;
      await route.continue();
    }]);
    const asked = page.waitForRequest("**/graphql");
    await signUp.confirm.click();
    await asked;
    // Later than any hold, while no timer but the countdown's is due.
    await page.clock.setSystemTime(Date.now() + 3_600_000);
    await page.clock.runFor(1000);
    await signUp.shows(/^0:00 left$/);
    await signUp.holds("last.second");
    answer.open();
    await signUp.owns("last.second");
  });

  browser.test("a second click on Confirm does nothing more", async (page) => {
    const signUp = await SignUp.open(page);
    await signUp.take("double.confirm");
    const { x, y, width, height } = await signUp.confirm.boundingBox();
    await signUp.confirm.click();
    await signUp.owns("double.confirm");
    await page.mouse.click(x + width / 2, y + height / 2);
    await signUp.rename.hover(); // a click that counted would have been answered by now
    await signUp.owns("double.confirm");
  });

  browser.test("without demo accounts nothing can be confirmed here", async (page) => {
    await page.route("**/demo/token", (route) => route.fulfill({ status: 404, body: "404 page not found" }));
    const signUp = await SignUp.open(page);
    await signUp.take("no.demo");
    assert.ok(await signUp.confirm.isHidden());
    assert.ok(await page.getByText("demo account").first().isHidden());
    await signUp.giveBack.click();
    await signUp.says("no.demo is given back: anybody can have it now.");
  }, NO_DEMO);
}

function assertOneRequest(requests) {
  const ids = requests.map((request) => variables(request).input.requestId);
  assert.equal(ids.length, 2);
  assert.equal(ids[1], ids[0], "both belong to one request");
}
