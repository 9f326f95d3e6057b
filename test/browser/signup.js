// The sign-up page as its visitors know it.

import assert from "node:assert/strict";

export const DEBOUNCE_MS = 250; // from the last key to the check

export class SignUp {
  constructor(page) {
    this.page = page;
    this.name = page.getByLabel("Username", { exact: true });
    this.hold = page.getByRole("button", { name: "Hold this name" });
    this.retry = page.getByRole("button", { name: "Try again" });
    this.giveBack = page.getByRole("button", { name: "Give it back" });
    this.confirm = page.getByRole("button", { name: "Confirm", exact: true });
    this.newName = page.getByLabel("New username", { exact: true });
    this.rename = page.getByRole("button", { name: "Rename", exact: true });
    this.another = page.getByRole("button", { name: "Start over" });
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
      await this.status.filter({ hasText: exactly(text) }).waitFor();
    } catch (error) {
      assert.equal(await this.said(), text);
      throw error;
    }
  }

  /** What the page says. */
  async said() {
    return (await this.status.innerText()).trim();
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

  /** Holds a name that is free. */
  async take(name) {
    await this.choose(name);
    await this.hold.click();
    await this.holds(name);
  }

  /** Signs up with a name that is free. */
  async signUp(name) {
    await this.take(name);
    await this.confirm.click();
    await this.owns(name);
  }

  /** Waits until the page shows that the account has a name. */
  async owns(name) {
    await this.page.getByRole("heading", { name: `${name} is yours`, exact: true }).waitFor();
  }

  /** Asks for another name. */
  async renameTo(name) {
    await this.newName.fill(name);
    await this.rename.click();
  }

  /** Waits until the countdown shows a time. */
  async shows(time) {
    await this.timer.filter({ hasText: time }).waitFor();
  }
}

/** Matches a text as a whole, in whatever white space. */
function exactly(text) {
  const words = text.split(" ").map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^\\s*${words.join("\\s+")}\\s*$`);
}

/** Stops the clock of the pages opened from here on: it goes on by `page.clock.runFor`. */
export async function stopClock(page) {
  await page.clock.install({ time: "2030-01-01T00:00:00Z" });
  await page.clock.pauseAt("2030-01-01T01:00:00Z");
}
