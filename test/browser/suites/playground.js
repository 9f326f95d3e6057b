// The playground, which is GraphiQL.

import assert from "node:assert/strict";

const QUERY = 'query Ann { usernameAvailable(name: "ann") { available canonical decidedBy asOf } }';

export function playground(browser) {
  browser.test("a query runs and its answer shows", async (page) => {
    await page.goto("/playground");
    await page.locator(".graphiql-query-editor .CodeMirror-lines").click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.insertText(QUERY);
    await page.getByRole("tab", { name: "Ann" }).waitFor(); // it has read the text: it sends the operation's name
    await page.keyboard.press("Control+Enter");
    const answer = page.getByRole("region", { name: "Result Window" });
    await answer.filter({ hasText: '"asOf"' }).waitFor();
    const { asOf, decidedBy, ...rest } = JSON.parse(await text(page)).data.usernameAvailable;
    assert.deepEqual(rest, { available: true, canonical: "ann" });
    assert.match(decidedBy, /^(FILTER|DATABASE)$/); // the latter until the replica has built its filter
    assert.ok(Math.abs(Date.parse(asOf) - Date.now()) < 600_000, asOf);
  });

  browser.test("the tabs are named after their operations", async (page) => {
    await page.goto("/playground");
    for (const name of ["Check", "Reserve"]) await page.getByRole("tab", { name }).waitFor();
    assert.equal(await page.getByRole("tab").count(), 2);
  });

  browser.test("the schema can be explored", async (page) => {
    await page.goto("/playground");
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await page.getByRole("link", { name: "Query", exact: true }).click();
    await page.getByRole("link", { name: "usernameAvailable", exact: true }).click();
    await page.getByRole("link", { name: "UsernameAvailability", exact: true }).click();
    await page.getByText("Whether one name can be had.").waitFor();
  });
}

/** The answer as the editor has it: the page itself shows only some of its lines. */
function text(page) {
  return page.evaluate(() => document.querySelector(".result-window .CodeMirror").CodeMirror.getValue());
}
