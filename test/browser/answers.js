// What the page asks the server, and what it gets for an answer.

/** The variables of a GraphQL request. */
export function variables(request) {
  return request.postDataJSON().variables;
}

/** Whether a request asks about a name. */
export function asksFor(name) {
  return (request) => request.method() === "POST" && variables(request).name === name;
}

/** A promise and what fulfils it. */
export function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { opened, open };
}

/** Answers the next GraphQL requests by these handlers, in turn; then the server does. */
export async function handle(page, handlers) {
  const requests = [];
  await page.route("**/graphql", (route) => {
    const handler = handlers[requests.length] ?? ((rest) => rest.continue());
    requests.push(route.request());
    return handler(route);
  });
  return requests;
}

/** A handler that answers with an error. */
export function fails({ code, retryAfterMs, status = 200, headers = {} }) {
  const body = { errors: [{ message: "no", extensions: { code, retryAfterMs } }] };
  return (route) => route.fulfill({ status, headers, contentType: "application/graphql-response+json", json: body });
}

/** A handler that answers with a result of a field. */
export function gives(field, result) {
  return (route) => route.fulfill({ contentType: "application/graphql-response+json", json: { data: { [field]: result } } });
}

/** A handler that lets the server do its work and keeps the answer from the page. */
export async function lose(route) {
  await route.fetch();
  await route.abort();
}

/** The variables of the GraphQL requests of a page from here on. */
export function collect(page) {
  const asked = [];
  page.on("request", (request) => request.method() === "POST" && asked.push(variables(request)));
  return asked;
}

/** Keeps the next answer back until `open` is called; `asked` resolves to the request about a name. */
export async function delay(page, name) {
  const answer = gate();
  await page.route("**/graphql", async (route) => {
    await answer.opened;
    await route.continue().catch(() => {}); // the page may have cut it off
  }, { times: 1 });
  return { asked: page.waitForRequest(asksFor(name)), open: answer.open };
}
