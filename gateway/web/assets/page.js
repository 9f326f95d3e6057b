// The form: checks a name as it is typed and holds it when asked to.

import * as account from "./account.js";
import * as api from "./api.js";
import * as attempt from "./attempt.js";
import { countDown } from "./countdown.js";
import * as held from "./held.js";
import * as ideas from "./ideas.js";
import * as owned from "./owned.js";
import * as words from "./words.js";

const DEBOUNCE_MS = 250;
const IDEAS_MS = 600; // of a pause: who still types wants none

const $ = (id) => document.getElementById(id);
const form = $("choose");
const input = $("name");
const status = $("status");
const wait = $("wait");
const hold = $("hold");
const retry = $("retry");

let timer; // of the next check
let stopWaiting = () => {}; // for the next retry
let asking = new AbortController(); // cuts the check in flight off
let eager = false; // whether Enter was pressed before it was known that the name is free

input.addEventListener("input", () => {
  quiet();
  eager = false;
  say("", "");
  if (input.value) timer = setTimeout(check, DEBOUNCE_MS);
});

// A form whose button is disabled is not submitted by Enter.
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.isComposing) eager = hold.disabled;
});

hold.addEventListener("click", (event) => {
  // The second click of a double click on Try again, which stood here before.
  if (event.detail > 1) event.preventDefault();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!hold.disabled) reserve();
});

async function check() {
  const { signal } = quiet();
  const name = input.value;
  form.dataset.busy = "";
  try {
    const answer = await api.check(name, signal);
    if (signal.aborted || answer.requested !== input.value) return;
    judge(answer);
  } catch (error) {
    if (!signal.aborted) failed(error, check);
  } finally {
    if (!signal.aborted) delete form.dataset.busy;
  }
}

function judge({ requested: name, available, reason, violations }) {
  const unsure = reason === "RESERVED" && attempt.isPending(name);
  hold.disabled = !available && !unsure;
  if (available) say("free", words.free(name));
  else if (unsure) say("wait", words.unsure(name));
  else if (violations.length) say(words.unfinished(violations) ? "wait" : "no", words.violation(name, violations));
  else say("no", words.reason(name, reason));
  if (eager && !hold.disabled) reserve();
  else if (status.dataset.state === "no") timer = setTimeout(offer, IDEAS_MS, name);
}

/** Offers names in place of one that cannot be had; without an answer, none. */
async function offer(name) {
  const { signal } = asking;
  const names = await api.ideas(name, signal).catch(() => []);
  if (!signal.aborted) ideas.show(names, take);
}

function take(name) {
  input.value = name;
  input.focus();
  check();
}

async function reserve() {
  quiet();
  const { name, requestId } = attempt.begin(input.value);
  lock(true);
  try {
    const { result, now } = await api.reserve(name, requestId);
    await settle(name, requestId, result, now);
  } catch (error) {
    failed(error, reserve);
  } finally {
    lock(false);
  }
}

async function settle(name, requestId, result, now) {
  if (result.__typename === "ReserveUsernamePayload") {
    attempt.keep({ name, requestId, token: result.token });
    return open(result.reservation, result.token, now);
  }
  attempt.forget();
  if (result.violations) say("no", words.violation(name, result.violations));
  else if (result.reason) say("no", words.reason(name, result.reason));
  else say("no", result.message);
  ideas.show(result.suggestions ?? [], take);
}

async function open(holding, token, now) {
  const demo = await account.offered; // before: nothing may move in the panel once it shows
  form.hidden = true;
  held.open(holding, token, now, { demo, closed: startOver, owned: own });
}

function own(name) {
  attempt.keep({ ...attempt.current(), owned: true });
  form.hidden = true;
  owned.open(name, () => {
    account.renew();
    startOver("");
  });
}

function startOver(text) {
  attempt.forget();
  form.hidden = false;
  input.value = "";
  say("", text);
  input.focus();
}

/** Stops what is under way and gives the controller of what begins. */
function quiet() {
  clearTimeout(timer);
  stopWaiting();
  wait.textContent = "";
  asking.abort();
  asking = new AbortController();
  delete form.dataset.busy;
  ideas.hide();
  // What is hidden or disabled drops the focus on the floor.
  if (document.activeElement === retry) input.focus();
  hold.disabled = true;
  hold.hidden = false;
  retry.hidden = true;
  return asking;
}

function failed(error, again) {
  say("wait", words.failure(api.codeOf(error)));
  retry.onclick = again;
  retry.hidden = false;
  hold.hidden = true;
  if (document.activeElement !== input) retry.focus();
  if (!error.retryAfterMs) return;
  stopWaiting = countDown(error.retryAfterMs, (left) => (wait.textContent = words.again(left)), again);
}

function lock(on) {
  input.readOnly = on;
  if (on) form.dataset.busy = "";
  else delete form.dataset.busy;
}

function say(state, text) {
  status.dataset.state = state;
  $("message").textContent = text;
}

/** Goes on with what a reload interrupted. */
async function resume() {
  quiet();
  const { name, token } = attempt.current();
  input.value = name;
  if (!token) return reserve();
  lock(true);
  try {
    await reopen(attempt.current());
  } catch (error) {
    failed(error, resume);
  } finally {
    lock(false);
  }
}

async function reopen({ name, token, confirmId, owned: confirmed }) {
  if (confirmed) return show(await api.owned(await account.bearer()));
  const { holding, now } = await api.reservation(token);
  if (holding) return open(holding, token, now);
  if (!confirmId) return show();
  // It was confirmed, or it ran out before.
  const result = await api.confirm(await account.bearer(), token, confirmId);
  if (result.holdings) return own(result.holdings[0].display);
  attempt.forget();
  say("no", words.unconfirmed(name, result));
}

/** The account's name, or the form again where it has none. */
function show(name) {
  if (name) return own(name);
  attempt.forget();
  check();
}

if (attempt.current()) resume();
else if (input.value) check();
