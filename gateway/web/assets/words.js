// What the page says, in plain words.

const RULES = {
  TOO_SHORT: () => "A username has at least 3 characters.",
  TOO_LONG: () => "A username has at most 30 characters.",
  INVALID_CHARACTER: (name, at) => {
    const character = [...name][at];
    const what = character === " " ? "A space" : character ? `“${character}”` : "That character";
    return `${what} cannot be used: only letters a–z, digits, dots and underscores.`;
  },
  INVALID_START: () => "A username starts with a letter or a digit.",
  INVALID_END: () => "A username ends with a letter or a digit.",
  REPEATED_SEPARATOR: () => "Two dots or underscores cannot stand next to each other.",
  MIXED_SCRIPTS: () => "The letters of a username belong to one alphabet.",
};

const REASONS = {
  TAKEN: (name) => `${name} is taken.`,
  RESERVED: (name) => `Somebody is signing up as ${name} right now. It may become free again in a while.`,
  PROTECTED: (name) => `${name} was given up by its owner not long ago and is closed to others for now.`,
  NOT_ALLOWED: (name) => `${name} cannot be used as a username here.`,
  CONFUSABLE: (name) => `${name} is too easily mistaken for a name in use.`,
};

// Rules that somebody who is still typing need not be told off for.
const UNFINISHED = new Set(["TOO_SHORT", "INVALID_END"]);

export const free = (name) => `${name} is free.`;

/** Why a name cannot be had. */
export const reason = (name, why) => REASONS[why]?.(name) ?? `${name} cannot be had at the moment.`;

/** The first rule that a name breaks. */
export function violation(name, violations) {
  const { rule, message, position } = violations[0] ?? {};
  return RULES[rule]?.(name, position) ?? message ?? reason(name);
}

export const unfinished = (violations) => violations.every(({ rule }) => UNFINISHED.has(rule));

/** Why there is no answer. */
export function failure(code) {
  switch (code) {
    case "RATE_LIMITED":
      return "That was a lot of names in a short time.";
    case "OVERLOADED":
      return "Many people are choosing names right now.";
    case "UNAVAILABLE":
    case "TIMEOUT":
      return "The service does not answer at the moment.";
    case "NETWORK":
      return "The service cannot be reached.";
    case "REFUSED":
      return "There are no demo accounts here.";
    case "UNAUTHENTICATED":
    case "FORBIDDEN":
      return "The demo account may not do that.";
    default:
      return "Something went wrong on our side.";
  }
}

/** When the next try is. From two minutes on, seconds are of no use to anybody. */
export function again(ms) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds >= 120) return `Trying again in ${Math.round(seconds / 60)} minutes.`;
  return `Trying again in ${seconds} second${seconds === 1 ? "" : "s"}.`;
}

/** What became of a hold that ended. */
export const gone = (name) => `${name} is given back: anybody can have it now.`;
export const over = (name) => `The time is up: ${name} is not held for you any more.`;
export const unsure = (name) => `You asked for ${name} before and got no answer. Ask again to find out.`;

/** Why a reservation was not confirmed. */
export function unconfirmed(name, { __typename, message }) {
  switch (__typename) {
    case "ReservationNotFoundError":
      return `${name} is not held for you any more.`;
    case "UnavailableError":
      return `The time was up, and ${name} went to somebody else.`;
    case "OwnerLimitError":
      return "This account has a username already.";
    default:
      return message;
  }
}

/** Why an account was not renamed. */
export function unrenamed(name, { __typename, reason: why, violations, allowedAt, message }) {
  switch (__typename) {
    case "UnavailableError":
      return reason(name, why);
    case "InvalidValueError":
      return violation(name, violations);
    case "NotOwnerError":
      return "This account has no username any more.";
    case "RenameTooSoonError":
      return `The name was changed not long ago. It can be changed again on ${moment(allowedAt)}.`;
    default:
      return message;
  }
}

/** What a rename did. */
export function renamed({ holding, former }) {
  if (!former) return `Your name is spelled ${holding.display} now.`;
  return `Your name is ${holding.display} now. ${former.display} is kept for you until ${moment(former.expiresAt)}.`;
}

/** A day and a time, in the visitor's zone. */
const moment = (time) => new Date(time).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" });

/** Minutes and seconds, as a clock shows them. */
export function clock(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
