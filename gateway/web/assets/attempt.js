// The attempt to hold a name: one request id, kept until its outcome is known,
// so that a retry, also after a reload, can never hold a second name.

const KEY = "namegate.attempt";
let attempt = read();

/** The attempt under way or held: { name, requestId, token? }, or null. */
export const current = () => attempt;

/** Whether this name was asked for and no answer has come. */
export const isPending = (name) => attempt?.name === name && !attempt.token;

/** The attempt at a name: the pending one, else a new one. */
export function begin(name) {
  if (!isPending(name)) keep({ name, requestId: randomId() });
  return attempt;
}

export function keep(next) {
  attempt = next;
  try {
    if (next) sessionStorage.setItem(KEY, JSON.stringify(next));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Storage is closed to us: the attempt lasts as long as the page.
  }
}

export const forget = () => keep(null);

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

// 128 random bits. crypto.randomUUID would need a secure context.
function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
