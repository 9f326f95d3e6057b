// The account that this tab signs up: a demo account, where the gateway gives
// access tokens of such accounts away. Elsewhere the sign-up's back end confirms.

import * as api from "./api.js";
import { load, randomId, save } from "./tab.js";

const KEY = "namegate.account";
let subject = load(KEY);
if (!subject) renew();

/** The account's id. */
export const id = () => subject;

/** An access token of the account. It is good for a while only, so each step asks for one. */
export const bearer = () => api.demoToken(subject);

/** Resolves to whether there are demo accounts here. */
export const offered = bearer().then(() => true, (error) => error.code !== "REFUSED");

/** Another account from here on. */
export function renew() {
  subject = `user:${randomId().slice(0, 12)}`;
  save(KEY, subject);
}
