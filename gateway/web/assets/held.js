// The panel of a name that is held: its countdown and the way to give it back.

import * as api from "./api.js";
import { countDown } from "./countdown.js";
import * as words from "./words.js";

const $ = (id) => document.getElementById(id);
const panel = $("held");
const status = $("held-status");

/**
 * Shows a holding until it ends; `closed` gets what to say then. `now` is the
 * server's time of the answer: this machine's clock may be wrong.
 */
export function open(holding, token, now, closed) {
  const lasts = Date.parse(holding.expiresAt) - Date.parse(holding.since);
  // The server's time comes in whole seconds, so it may be a little behind.
  const left = Math.min(Date.parse(holding.expiresAt) - now, lasts);
  const name = holding.display;
  $("held-name").textContent = name;
  $("token").textContent = token;
  say("");
  panel.hidden = false;
  // To the top rather than to the panel: that could bring what gives back under the pointer.
  panel.focus({ preventScroll: true });
  scrollTo(0, 0);

  const close = (text) => {
    panel.hidden = true;
    closed(text);
  };
  const stop = countDown(left, (rest) => show(rest, lasts), () => close(words.over(name)));
  const done = () => {
    stop();
    close(words.gone(name));
  };
  $("cancel").onclick = () => giveBack(token, done);
}

function show(left, lasts) {
  $("left").textContent = words.clock(left);
  $("bar").value = left / lasts;
  if (left < 60_000 && !status.textContent) say("Less than a minute is left.");
}

async function giveBack(token, done) {
  const button = $("cancel");
  button.disabled = true;
  try {
    // A reservation that is not found is given back already.
    await api.cancel(token);
    done();
  } catch (error) {
    say(words.failure(error.code), "no");
  } finally {
    button.disabled = false;
  }
}

function say(text, state = "wait") {
  status.dataset.state = state;
  status.textContent = text;
}
