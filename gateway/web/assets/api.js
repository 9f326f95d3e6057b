// The public GraphQL endpoint, as any client may use it, and the tokens of demo accounts.

const PATIENCE_MS = 10_000;

/** A request that got no answer. `code` is the API's, "REFUSED" or "NETWORK". */
export class RequestError extends Error {
  constructor(code, retryAfterMs) {
    super(code);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The code of an error. One that is the page's own is logged. */
export function codeOf(error) {
  if (!(error instanceof RequestError)) console.error(error);
  return error.code;
}

const CHECK = `query Check($name: String!) {
  usernameAvailable(name: $name) {
    requested available reason
    violations { rule message position }
  }
}`;

const IDEAS = `query Ideas($name: String!) {
  usernameAvailable(name: $name) { suggestions }
}`;

const RESERVE = `mutation Reserve($input: ReserveUsernameInput!) {
  reserveUsername(input: $input) {
    __typename
    ... on ReserveUsernamePayload { token reservation { display expiresAt since } }
    ... on UnavailableError { reason suggestions }
    ... on InvalidValueError { violations { rule message position } }
    ... on MutationError { message }
  }
}`;

const RESERVATION = `query Reservation($token: String!) {
  reservation(token: $token) { display expiresAt since }
}`;

const CANCEL = `mutation Cancel($input: CancelReservationInput!) {
  cancelReservation(input: $input) { __typename }
}`;

const CONFIRM = `mutation Confirm($input: ConfirmReservationInput!) {
  confirmReservation(input: $input) {
    __typename
    ... on ConfirmReservationPayload { holdings { display } }
    ... on UnavailableError { reason }
    ... on MutationError { message }
  }
}`;

const RENAME = `mutation Rename($input: RenameUsernameInput!) {
  renameUsername(input: $input) {
    __typename
    ... on RenameUsernamePayload { holding { display } former { display expiresAt } }
    ... on UnavailableError { reason }
    ... on InvalidValueError { violations { rule message position } }
    ... on RenameTooSoonError { allowedAt }
    ... on MutationError { message }
  }
}`;

const OWNED = `query Owned { holdings(kind: USERNAME) { display } }`;

export const check = async (name, signal) => (await ask(CHECK, { name }, { signal })).data.usernameAvailable;

/** Free names in place of one that is not. */
export const ideas = async (name, signal) => (await ask(IDEAS, { name }, { signal })).data.usernameAvailable.suggestions;

/** Resolves to the result and to when the server answered, by its own clock. */
export async function reserve(name, requestId) {
  const { data, now } = await ask(RESERVE, { input: { name, requestId } });
  return { result: data.reserveUsername, now };
}

/** What a token still holds: the first holding, or undefined. */
export async function reservation(token) {
  const { data, now } = await ask(RESERVATION, { token });
  return { holding: data.reservation?.[0], now };
}

export const cancel = (token) => ask(CANCEL, { input: { token } });

/** Resolves to the result. `bearer` is an access token, here and below. */
export async function confirm(bearer, token, requestId) {
  return (await ask(CONFIRM, { input: { token, requestId } }, { bearer })).data.confirmReservation;
}

/** Resolves to the result. */
export async function rename(bearer, to, requestId) {
  return (await ask(RENAME, { input: { to, requestId } }, { bearer })).data.renameUsername;
}

/** The username of the token's account, or undefined. */
export async function owned(bearer) {
  return (await ask(OWNED, {}, { bearer })).data.holdings[0]?.display;
}

/** An access token of a demo account. */
export async function demoToken(subject) {
  const { status, body } = await post("/demo/token", { subject });
  if (body?.token) return body.token;
  throw new RequestError(status >= 400 && status < 500 ? "REFUSED" : "NETWORK");
}

async function ask(query, variables, { signal, bearer } = {}) {
  const { body, headers } = await post("/graphql", { query, variables }, { signal, bearer });
  if (!body) throw new RequestError("NETWORK");
  if (body.errors?.length || !body.data) {
    const { code = "INTERNAL", retryAfterMs } = body.errors?.[0]?.extensions ?? {};
    throw new RequestError(code, retryAfterMs ?? retryAfter(headers));
  }
  return { data: body.data, now: Date.parse(headers.get("Date")) || Date.now() };
}

/** The body is null when it is not JSON, as that of a proxy. */
async function post(path, value, { signal, bearer } = {}) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), PATIENCE_MS);
  signal?.addEventListener("abort", () => limit.abort());
  const headers = { "Content-Type": "application/json", Accept: "application/graphql-response+json, application/json" };
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  try {
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(value), signal: limit.signal });
    return { status: response.status, body: await response.json().catch(() => null), headers: response.headers };
  } catch {
    throw new RequestError("NETWORK");
  } finally {
    clearTimeout(timer);
  }
}

const retryAfter = (headers) => Number(headers.get("Retry-After")) * 1000 || undefined;
