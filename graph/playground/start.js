// Starts GraphiQL on the page. Headers, which may hold an access token, are not
// kept in the browser.
'use strict';

const root = document.getElementById('playground');

// Unlike crypto.randomUUID, this also works over plain HTTP on other hosts.
const requestId = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');

const check = `# Ctrl-Enter runs this.
# The next tab holds the name for a sign-up.
query Check {
  usernameAvailable(name: "ann") {
    available
    canonical
    reason
    violations { rule message }
    decidedBy
    asOf
  }
}
`;

const reserve = `# A request id is random, one for each attempt.
# Resent, it gets the same answer again.
mutation Reserve {
  reserveUsername(input: {
    name: "ann"
    requestId: "${requestId}"
  }) {
    ... on ReserveUsernamePayload {
      token
      reservation { canonical state expiresAt }
    }
    ... on MutationError { message }
  }
}
`;

ReactDOM.createRoot(root).render(React.createElement(GraphiQL, {
  fetcher: GraphiQL.createFetcher({ url: root.dataset.endpoint }),
  defaultTabs: [{ query: check }, { query: reserve }],
}));
