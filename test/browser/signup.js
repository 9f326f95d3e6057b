// The sign-up page as its visitors know it.

import assert from "node:assert/strict";

export class SignUp {
  constructor(page) {
    this.page = page;
    this.name = page.getByLabel("Username", { exact: true });
    this.hold = page.getByRole("button", { name: "Hold this name" });
    this.retry = page.getByRole("button", { name: "Try again" });
    this.giveBack = page.getByRole("button", { name: "Give it back" });
    this.timer = page.getByRole("timer");
    this.token = page.locator("#token");
    this.status = page.getByRole("status");
  }

  static async open(page) {
    await page.goto("/");
    return new SignUp(page);
  }

  /** Types a name in place of what is there. */
  async type(name) {
    await this.name.fill("");
    await this.name.pressSequentially(name);
  }

  /** Waits until the page says this, word for word. */
  async says(text) {
    try {
      await this.status.and(this.page.getByText(text, { exact: true })).waitFor();
    } catch (error) {
      assert.equal(await this.status.textContent(), text);
      throw error;
    }
  }

  /** Checks a name that is free. */
  async choose(name) {
    await this.type(name);
    await this.says(`${name} is free.`);
  }

  /** Waits until the page shows that a name is held. */
  async holds(name) {
    await this.page.getByRole("heading", { name: `${name} is held for you`, exact: true }).waitFor();
  }

  /** Waits until the countdown shows a time. */
  async shows(time) {
    await this.timer.filter({ hasText: time }).waitFor();
  }
}

/** The variables of a GraphQL request. */
export function variables(request) {
  return request.postDataJSON().variables;
}

/** Whether a request asks about a name. */
export function asksFor(name) {
  return (request) => request.method() === "POST" && variables(request).name === name;
}

/** A promise and what fulfils it. */
export function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { opened, open };
}
