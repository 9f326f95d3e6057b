// The attempt to get a name: one request id for each step, kept until its outcome
// is known, so that a retry, also after a reload, can never hold a second name.

import { load, randomId, save } from "./tab.js";

const KEY = "namegate.attempt";
let attempt = load(KEY);

/**
 * The attempt under way, or null: { name, requestId } until it is answered, then
 * with the reservation's token; with confirmId from the first try to confirm it,
 * and with owned once the account has the name.
 */
export const current = () => attempt;

/** Whether this name was asked for and no answer has come. */
export const isPending = (name) => attempt?.name === name && !attempt.token;

/** The attempt at a name: the pending one, else a new one. */
export function begin(name) {
  if (!isPending(name)) keep({ name, requestId: randomId() });
  return attempt;
}

/** The request id to confirm with: that of the pending try, else a new one. */
export function beginConfirm() {
  if (!attempt.confirmId) keep({ ...attempt, confirmId: randomId() });
  return attempt.confirmId;
}

/** The try to confirm was refused; another one is a new request. */
export function endConfirm() {
  const { confirmId, ...rest } = attempt;
  keep(rest);
}

export function keep(next) {
  attempt = next;
  save(KEY, next);
}

export const forget = () => keep(null);
