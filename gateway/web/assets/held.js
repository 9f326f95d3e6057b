// The panel of a name that is held: its countdown, the way to confirm it and the
// way to give it back.

import * as account from "./account.js";
import * as api from "./api.js";
import * as attempt from "./attempt.js";
import { countDown } from "./countdown.js";
import * as words from "./words.js";

const $ = (id) => document.getElementById(id);
const panel = $("held");
const status = $("held-status");

/**
 * Shows a holding until it ends; `closed` gets what to say then. Where there are
 * demo accounts, it can be confirmed; `owned` gets the name that the account has
 * then. `now` is the server's time of the answer: this machine's clock may be wrong.
 */
export function open(holding, token, now, { demo, closed, owned }) {
  const lasts = Date.parse(holding.expiresAt) - Date.parse(holding.since);
  // The server's time comes in whole seconds, so it may be a little behind.
  const left = Math.min(Date.parse(holding.expiresAt) - now, lasts);
  const name = holding.display;
  $("held-name").textContent = name;
  $("token").textContent = token;
  $("demo").hidden = $("confirm").hidden = !demo;
  panel.querySelector(".account").textContent = account.id();
  $("cancel").disabled = confirming();
  say("");
  panel.hidden = false;
  // To the top rather than to the panel: that could bring what gives back under the pointer.
  panel.focus({ preventScroll: true });
  scrollTo(0, 0);

  let stop = () => {};
  const leave = (then) => {
    stop();
    panel.hidden = true;
    then();
  };
  const close = (text) => leave(() => closed(text));
  // Whether a confirmation came too late is for its answer to say.
  const over = () => (confirming() ? show(0, lasts) : close(words.over(name)));
  stop = countDown(left, (rest) => show(rest, lasts), over);
  $("cancel").onclick = () => step(() => giveBack(token, () => close(words.gone(name))));
  $("confirm").onclick = () => step(() => confirm(name, token, close, (display) => leave(() => owned(display))));
}

/** Whether a confirmation was asked for and no answer has come. */
const confirming = () => Boolean(attempt.current()?.confirmId);

function show(left, lasts) {
  $("left").textContent = words.clock(left);
  $("bar").value = left / lasts;
  if (left < 60_000 && !status.textContent) say("Less than a minute is left.");
}

/** Takes one step at a time, and says why it failed. */
async function step(take) {
  say("");
  $("confirm").disabled = $("cancel").disabled = true;
  try {
    await take();
  } catch (error) {
    say(words.failure(api.codeOf(error)), "no");
  } finally {
    $("confirm").disabled = false;
    // Until it is known whether the account has the name, nobody can give it back.
    $("cancel").disabled = confirming();
  }
}

async function giveBack(token, done) {
  // A reservation that is not found is given back already.
  await api.cancel(token);
  done();
}

async function confirm(name, token, close, owned) {
  const bearer = await account.bearer();
  const result = await api.confirm(bearer, token, attempt.beginConfirm());
  if (result.__typename === "ConfirmReservationPayload") return owned(result.holdings[0].display);
  attempt.endConfirm();
  const text = words.unconfirmed(name, result);
  if (GONE.has(result.__typename)) close(text);
  else say(text, "no");
}

const GONE = new Set(["ReservationNotFoundError", "UnavailableError"]);

function say(text, state = "wait") {
  status.dataset.state = state;
  status.textContent = text;
}
