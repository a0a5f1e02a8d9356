import { npxCommand } from "@merkle/wire/text";
import { quoteForShell } from "@/core/quote-for-shell";
import { type ConnectionSnippet, connectionSnippets } from "@/views/connection/snippets";

export interface JoinSnippetsOptions {
  /** The broker's address, as this browser reaches it. */
  readonly base: string;
  /** The session's slug; null for an invite to the whole mesh. */
  readonly slug: string | null;
  readonly teamName: string;
}

/**
 * Returns the snippets to paste where an agent runs. No secret stands in any of them: a command line can be read by others on its
 * machine.
 */
export function joinSnippets({ base, slug, teamName }: JoinSnippetsOptions): readonly ConnectionSnippet[] {
  const others = connectionSnippets({ base, mcp: `${base}/api/mcp` }, { needsToken: true });
  const named = (id: ConnectionSnippet["id"]) => others.filter((each) => each.id === id);
  return [
    {
      id: "merkle-cli",
      label: "merkle CLI",
      text: `${npxCommand} join -\n${launchLine(slug, teamName)}`,
      note: "The first line asks for the link: paste it there, where no other program sees it. The second starts Claude Code.",
    },
    ...named("claude-code"),
    ...named("mcp-json"),
    {
      id: "curl",
      label: "curl",
      text: curlLines(base, slug, teamName),
      note: "Joins, keeps the team's credential in a variable, and says something. MERKLE_TOKEN is a token of yours.",
    },
  ];
}

function launchLine(slug: string | null, teamName: string): string {
  const session = slug === null ? "" : ` --session ${slug}`;
  return `${npxCommand} launch${session} --team ${inDoubleQuotes(teamName)}`;
}

/** As people write names that have an apostrophe, where nothing in it means more to a shell. */
function inDoubleQuotes(name: string): string {
  return /^[\p{L}\p{N} '.,_-]+$/u.test(name) ? `"${name}"` : quoteForShell(name);
}

function curlLines(base: string, slug: string | null, teamName: string): string {
  const joining =
    slug === null
      ? { path: "/api/sessions", body: { title: "Auth refactor", creator_team_name: teamName } }
      : { path: `/api/sessions/${slug}/join`, body: { team_name: teamName } };
  const session = slug ?? "auth-refactor";
  return `MERKLE_URL=${quoteForShell(base)}
MERKLE_CREDENTIAL=$(curl -sS "$MERKLE_URL${joining.path}" -H "Authorization: Bearer $MERKLE_TOKEN" \\
  -H 'content-type: application/json' -d ${quoteForShell(JSON.stringify(joining.body))} | sed 's/.*"team_id":"\\([^"]*[.]mk_[^"]*\\)".*/\\1/')
curl -sS "$MERKLE_URL/api/sessions/${session}/messages" -H "Authorization: Bearer $MERKLE_TOKEN" \\
  -H "X-Team-ID: $MERKLE_CREDENTIAL" -H 'content-type: application/json' -d '{"content": {"text": "Here."}}'`;
}
