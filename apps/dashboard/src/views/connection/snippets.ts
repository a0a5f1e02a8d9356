import {
  type ClientAbilities,
  clientTable,
  describeDelivery,
  type LaunchedClient,
  toInstallLine,
  toLaunchLine,
} from "@merkle/wire/text";

type SnippetClient = "vscode" | "goose" | "antigravity";

/** A way to connect an agent, as text that works when pasted. */
export interface ConnectionSnippet {
  readonly id: "merkle-cli" | "claude-code" | LaunchedClient | SnippetClient | "mcp-json" | "curl";
  readonly label: string;
  readonly text: string;
  /** Explains what the snippet does and where to paste it. */
  readonly note: string;
}

export interface SnippetOptions {
  /** Whether the broker admits only members. Programs then need a member's token. */
  readonly needsToken: boolean;
  /** The key pin from `get_app_info`. Null if a public authority signed the broker's certificate. */
  readonly keyPin?: string | null;
}

const tokenSourceNote =
  "MERKLE_TOKEN is one of your tokens. Create one with merkle token create or under Settings, Tokens and browsers.";

/** Returns the snippets that connect an agent to a broker. No snippet contains a secret: credentials are shell variables. */
export function listConnectionSnippets(
  { base, mcp }: { readonly base: string; readonly mcp: string },
  { needsToken, keyPin }: SnippetOptions = { needsToken: false },
): readonly ConnectionSnippet[] {
  const tokenNote = needsToken ? ` ${tokenSourceNote}` : "";
  return [
    {
      id: "claude-code",
      label: "Claude Code",
      text: [
        `claude mcp add --scope project --transport http merkle '${mcp}?view=compact'`,
        // The single quotes keep the shell from expanding the variable. Claude Code expands it when it starts, so no secret is
        // stored.
        ...(needsToken ? [`--header 'Authorization: Bearer \${MERKLE_TOKEN}'`] : []),
      ].join(" "),
      note: `Run it in the project. Everyone who works in that project gets the server.${tokenNote}`,
    },
    ...listVendorSnippets(`${mcp}?tools=core,messaging,mesh&view=compact`, { needsToken }),
    {
      id: "mcp-json",
      label: ".mcp.json",
      text: JSON.stringify({ mcpServers: { merkle: toMcpJsonServer(base, mcp, needsToken) } }, null, 2),
      note: `A file at the root of the project. Set MERKLE_URL to use another broker.${tokenNote}`,
    },
    {
      id: "curl",
      label: "curl",
      text: buildCurlLines(base, needsToken),
      note: `Starts a session, stores its credential in a variable, and posts a message.${tokenNote}`,
    },
    {
      id: "merkle-cli",
      label: "merkle CLI",
      text: [
        toInstallLine({ base, keyPin }) ?? `merkle config set url '${base}' --local`,
        ...(needsToken ? ["merkle join -"] : []),
        toLaunchLine({ session: "auth-refactor", team: "Alex's Team" }),
      ].join("\n"),
      note: `The first line installs merkle and remembers this broker.${needsToken ? " The second asks for an invite link." : ""} Run the last line in your project's folder: it starts Claude Code in the session and creates the session if it does not exist.`,
    },
  ];
}

/**
 * Returns snippets for clients of other vendors. Merkle configures some of these clients itself. For the others, the note
 * explains the manual setup.
 */
function listVendorSnippets(url: string, { needsToken }: SnippetOptions): readonly ConnectionSnippet[] {
  const createInstallSnippet = (client: ClientAbilities): ConnectionSnippet => ({
    id: client.name,
    label: client.label,
    text: [
      `merkle launch --client ${client.name} --session auth-refactor --team "Alex's Team"`,
      `merkle install --client ${client.name}`,
    ].join("\n"),
    note: `The first line starts it in the session. The second sets it up for when you start it yourself: it shows what it changes, and merkle uninstall --client ${client.name} undoes it. ${describeDelivery(client)}`,
  });
  const createConfigSnippet = (
    id: SnippetClient,
    label: string,
    configPath: string,
    config: object | string,
  ): ConnectionSnippet => ({
    id,
    label,
    text: typeof config === "string" ? config : JSON.stringify(config, null, 2),
    note: `Put it into ${configPath}. The agent reads messages with check_messages; nothing wakes it.${needsToken ? ` ${tokenSourceNote}` : ""}`,
  });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the variable in
  const headers = needsToken && { headers: { Authorization: "Bearer ${env:MERKLE_TOKEN}" } };
  return [
    ...clientTable.filter(({ name }) => name !== "claude" && name !== "acp").map(createInstallSnippet),
    createConfigSnippet("vscode", "VS Code", ".vscode/mcp.json of a project", {
      servers: { merkle: { type: "http", url, ...headers } },
    }),
    createConfigSnippet(
      "goose",
      "Goose",
      "~/.config/goose/config.yaml",
      [
        ...["extensions:", "  merkle:", "    name: merkle", "    type: streamable_http", `    uri: "${url}"`],
        ...["    enabled: true", "    timeout: 300"],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the variable in
        ...(needsToken ? ["    headers:", '      Authorization: "Bearer ${MERKLE_TOKEN}"'] : []),
      ].join("\n"),
    ),
    createConfigSnippet("antigravity", "Antigravity", "~/.gemini/antigravity/mcp_config.json", {
      mcpServers: { merkle: { serverUrl: url, ...headers } },
    }),
  ];
}

/** Only the base URL can be a variable. An endpoint at another address is used unchanged. */
function toMcpJsonServer(base: string, mcp: string, needsToken: boolean): object {
  const endpoint = mcp.slice(base.length);
  return {
    type: "http",
    url: `\${MERKLE_URL:-${base}}${endpoint}?view=compact`,
    ...(needsToken && { headers: { Authorization: `Bearer \${MERKLE_TOKEN}` } }),
  };
}

function buildCurlLines(base: string, needsToken: boolean): string {
  const token = needsToken ? ` -H "Authorization: Bearer $MERKLE_TOKEN"` : "";
  return `MERKLE_URL='${base}'
MERKLE_CREDENTIAL=$(curl -sS "$MERKLE_URL/api/sessions"${token} -H 'content-type: application/json' \\
  -d '{"title": "Auth refactor", "creator_team_name": "Alex"}' | sed 's/.*"team_id":"\\([^"]*\\)".*/\\1/')
curl -sS "$MERKLE_URL/api/sessions/auth-refactor/messages" -H "X-Team-ID: $MERKLE_CREDENTIAL"${token} \\
  -H 'content-type: application/json' -d '{"content": {"text": "Alex here."}}'`;
}
