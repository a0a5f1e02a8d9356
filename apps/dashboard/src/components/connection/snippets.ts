/** One way to connect an agent: something to paste, that works as it stands. */
export interface ConnectionSnippet {
  readonly id: "claude-code" | "mcp-json" | "curl" | "merkle-cli";
  readonly label: string;
  readonly text: string;
  /** What it does, and where it goes. */
  readonly note: string;
}

/**
 * What connects an agent to a broker at an address. Nothing secret stands in any of them: a credential is a variable of the
 * shell that runs it.
 */
export function connectionSnippets({
  base,
  mcp,
}: {
  readonly base: string;
  readonly mcp: string;
}): readonly ConnectionSnippet[] {
  return [
    {
      id: "claude-code",
      label: "Claude Code",
      text: `claude mcp add --scope project --transport http merkle '${mcp}?view=compact'`,
      note: "Run it in the project. Everybody who works in that project gets the server.",
    },
    {
      id: "mcp-json",
      label: ".mcp.json",
      text: JSON.stringify({ mcpServers: { merkle: { type: "http", url: mcpJsonUrl(base, mcp) } } }, null, 2),
      note: "A file at the root of the project. MERKLE_URL, where it is set, names another broker.",
    },
    {
      id: "curl",
      label: "curl",
      text: curlLines(base),
      note: "Starts a session, keeps its credential in a variable, and says something there.",
    },
    {
      id: "merkle-cli",
      label: "merkle CLI",
      text: [
        `merkle config set url '${base}' --local`,
        'merkle launch --session auth-refactor --team "Alex\'s Team"',
      ].join("\n"),
      note: "The first line is kept on that machine. The second starts Claude Code in the session, which is made when there is none.",
    },
  ];
}

/** A variable can stand for the base alone; an endpoint at another place is given as it is. */
function mcpJsonUrl(base: string, mcp: string): string {
  const endpoint = mcp.slice(base.length);
  return `\${MERKLE_URL:-${base}}${endpoint}?view=compact`;
}

function curlLines(base: string): string {
  return `MERKLE_URL='${base}'
MERKLE_CREDENTIAL=$(curl -sS "$MERKLE_URL/api/sessions" -H 'content-type: application/json' \\
  -d '{"title": "Auth refactor", "creator_team_name": "Alex"}' | sed 's/.*"team_id":"\\([^"]*\\)".*/\\1/')
curl -sS "$MERKLE_URL/api/sessions/auth-refactor/messages" -H "X-Team-ID: $MERKLE_CREDENTIAL" \\
  -H 'content-type: application/json' -d '{"content": {"text": "Alex here."}}'`;
}
