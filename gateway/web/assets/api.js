// The public GraphQL endpoint, as any client may use it.

const PATIENCE_MS = 10_000;

/** A request that got no answer. `code` is the API's, or "NETWORK". */
export class RequestError extends Error {
  constructor(code, retryAfterMs) {
    super(code);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

const CHECK = `query Check($name: String!) {
  usernameAvailable(name: $name) {
    requested available reason
    violations { rule message position }
  }
}`;

const RESERVE = `mutation Reserve($input: ReserveUsernameInput!) {
  reserveUsername(input: $input) {
    __typename
    ... on ReserveUsernamePayload { token reservation { display expiresAt since } }
    ... on UnavailableError { reason }
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

export const check = async (name, signal) => (await ask(CHECK, { name }, signal)).data.usernameAvailable;

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

async function ask(query, variables, signal) {
  const { body, headers } = await post(JSON.stringify({ query, variables }), signal);
  if (body.errors?.length || !body.data) {
    const { code = "INTERNAL", retryAfterMs } = body.errors?.[0]?.extensions ?? {};
    throw new RequestError(code, retryAfterMs ?? retryAfter(headers));
  }
  return { data: body.data, now: Date.parse(headers.get("Date")) || Date.now() };
}

async function post(body, signal) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), PATIENCE_MS);
  signal?.addEventListener("abort", () => limit.abort());
  try {
    const response = await fetch("/graphql", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/graphql-response+json, application/json" },
      body,
      signal: limit.signal,
    });
    return { body: await response.json(), headers: response.headers };
  } catch {
    throw new RequestError("NETWORK");
  } finally {
    clearTimeout(timer);
  }
}

const retryAfter = (headers) => Number(headers.get("Retry-After")) * 1000 || undefined;
