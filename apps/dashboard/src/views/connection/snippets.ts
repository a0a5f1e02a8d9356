/** One way to connect an agent: something to paste, that works as it stands. */
export interface ConnectionSnippet {
  readonly id: "claude-code" | "mcp-json" | "curl" | "merkle-cli";
  readonly label: string;
  readonly text: string;
  /** What it does, and where it goes. */
  readonly note: string;
}

export interface SnippetOptions {
  /** Whether the broker lets in members alone; a program is let in by a token of a member's. */
  readonly needsToken: boolean;
}

const whereTokensComeFrom =
  "MERKLE_TOKEN is a token of yours: merkle token create makes one, and so does Settings, Tokens.";

/**
 * What connects an agent to a broker at an address. Nothing secret stands in any of them: a credential is a variable of the
 * shell that runs it.
 */
export function connectionSnippets(
  { base, mcp }: { readonly base: string; readonly mcp: string },
  { needsToken }: SnippetOptions = { needsToken: false },
): readonly ConnectionSnippet[] {
  const tokenNote = needsToken ? ` ${whereTokensComeFrom}` : "";
  return [
    {
      id: "claude-code",
      label: "Claude Code",
      text: [
        `claude mcp add --scope project --transport http merkle '${mcp}?view=compact'`,
        // In single quotes: Claude Code puts the variable in when it starts, and no secret is written down.
        ...(needsToken ? [`--header 'Authorization: Bearer \${MERKLE_TOKEN}'`] : []),
      ].join(" "),
      note: `Run it in the project. Everybody who works in that project gets the server.${tokenNote}`,
    },
    {
      id: "mcp-json",
      label: ".mcp.json",
      text: JSON.stringify({ mcpServers: { merkle: mcpJsonServer(base, mcp, needsToken) } }, null, 2),
      note: `A file at the root of the project. MERKLE_URL, where it is set, names another broker.${tokenNote}`,
    },
    {
      id: "curl",
      label: "curl",
      text: curlLines(base, needsToken),
      note: `Starts a session, keeps its credential in a variable, and says something there.${tokenNote}`,
    },
    {
      id: "merkle-cli",
      label: "merkle CLI",
      text: [
        needsToken ? "merkle join -" : `merkle config set url '${base}' --local`,
        'merkle launch --session auth-refactor --team "Alex\'s Team"',
      ].join("\n"),
      note: `${needsToken ? "The first line, once on each machine, asks for an invite's link." : "The first line is kept on that machine."} The second starts Claude Code in the session, which is made when there is none.`,
    },
  ];
}

/** A variable can stand for the base alone; an endpoint at another place is given as it is. */
function mcpJsonServer(base: string, mcp: string, needsToken: boolean): object {
  const endpoint = mcp.slice(base.length);
  return {
    type: "http",
    url: `\${MERKLE_URL:-${base}}${endpoint}?view=compact`,
    ...(needsToken && { headers: { Authorization: `Bearer \${MERKLE_TOKEN}` } }),
  };
}

function curlLines(base: string, needsToken: boolean): string {
  const token = needsToken ? ` -H "Authorization: Bearer $MERKLE_TOKEN"` : "";
  return `MERKLE_URL='${base}'
MERKLE_CREDENTIAL=$(curl -sS "$MERKLE_URL/api/sessions"${token} -H 'content-type: application/json' \\
  -d '{"title": "Auth refactor", "creator_team_name": "Alex"}' | sed 's/.*"team_id":"\\([^"]*\\)".*/\\1/')
curl -sS "$MERKLE_URL/api/sessions/auth-refactor/messages" -H "X-Team-ID: $MERKLE_CREDENTIAL"${token} \\
  -H 'content-type: application/json' -d '{"content": {"text": "Alex here."}}'`;
}
