// The panel of an account that has a name, and the way to another one.

import * as account from "./account.js";
import * as api from "./api.js";
import { randomId } from "./tab.js";
import * as words from "./words.js";

const $ = (id) => document.getElementById(id);
const panel = $("owned");
const form = $("rename");
const input = $("to");
const status = $("owned-status");

let pending = null; // a rename without an answer: { to, requestId }

/** Shows the account's name; `another` is called when another account is to sign up. */
export function open(name, another) {
  $("owned-name").textContent = name;
  panel.querySelector(".account").textContent = account.id();
  input.value = "";
  pending = null;
  say("");
  panel.hidden = false;
  panel.focus({ preventScroll: true });
  scrollTo(0, 0);
  $("another").onclick = () => {
    panel.hidden = true;
    another();
  };
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (input.value && !input.readOnly) rename(input.value);
});

async function rename(to) {
  if (pending?.to !== to) pending = { to, requestId: randomId() };
  say("");
  lock(true);
  try {
    const result = await api.rename(await account.bearer(), to, pending.requestId);
    pending = null;
    settle(to, result);
  } catch (error) {
    say(words.failure(api.codeOf(error)), "no");
  } finally {
    lock(false);
  }
}

function settle(to, result) {
  if (result.__typename !== "RenameUsernamePayload") return say(words.unrenamed(to, result), "no");
  $("owned-name").textContent = result.holding.display;
  input.value = "";
  say(words.renamed(result), "free");
}

function lock(on) {
  input.readOnly = on;
  $("rename-submit").disabled = $("another").disabled = on;
  if (on) form.dataset.busy = "";
  else delete form.dataset.busy;
}

function say(text, state = "wait") {
  status.dataset.state = state;
  status.textContent = text;
}
