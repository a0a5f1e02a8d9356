"use client";

import { limits } from "@merkle/wire/limits";
import { toInstallLine, toLaunchLine, toShellWord } from "@merkle/wire/text";
import { useId, useState } from "react";
import { findSecret } from "@/identity/tab-secret";
import { CopyButton } from "@/ui/copy-button";
import { Input } from "@/ui/input";
import { SnippetTabs } from "@/views/connection/snippet-tabs";
import { type ConnectionSnippet, listConnectionSnippets } from "@/views/connection/snippets";

/** The commands to paste on the machine where an agent runs. */
export function JoinWithAgent({
  slug,
  keyPin,
}: {
  readonly slug: string | null;
  /** The key pin from `preview_invite`. */
  readonly keyPin: string | null;
}) {
  const id = useId();
  const [text, setText] = useState("");
  const teamName = text.trim() === "" ? "Alex's Team" : text.trim();
  const base = window.location.origin;
  return (
    <section aria-labelledby={`${id}-title`} className="grid min-w-0 gap-3 border-t pt-5">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <h2 id={`${id}-title`} className="text-lg font-semibold">
          With an agent
        </h2>
        <p className="flex items-center gap-2 text-sm text-muted-foreground">
          Invite link{" "}
          <CopyButton text={`${base}/join#${findSecret("join") ?? ""}`} contentName="invite link" />
        </p>
      </div>
      <SnippetTabs snippets={listJoinSnippets({ base, slug, teamName, keyPin })}>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b p-2">
          <label htmlFor={id} className="ps-1 text-sm font-medium">
            Team name
          </label>
          <Input
            id={id}
            dir="auto"
            maxLength={limits.nameCharsMax}
            autoComplete="off"
            placeholder="Alex's Team"
            className="min-w-40 flex-1"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
      </SnippetTabs>
    </section>
  );
}

interface JoinSnippetsOptions {
  /** The broker's address, as this browser reaches it. */
  readonly base: string;
  /** The session's slug. Null for an invite to the whole mesh. */
  readonly slug: string | null;
  readonly teamName: string;
  /** The key pin from `get_app_info`. */
  readonly keyPin: string | null;
}

/**
 * Returns the snippets to paste where an agent runs. They contain no secret, because other users of a machine can read its
 * command lines.
 */
function listJoinSnippets({
  base,
  slug,
  teamName,
  keyPin,
}: JoinSnippetsOptions): readonly ConnectionSnippet[] {
  const connectionSnippets = listConnectionSnippets({ base, mcp: `${base}/api/mcp` }, { needsToken: true });
  const findSnippets = (id: ConnectionSnippet["id"]) => connectionSnippets.filter((each) => each.id === id);
  return [
    {
      id: "merkle-cli",
      label: "merkle CLI",
      text: [
        toInstallLine({ base, keyPin }),
        "merkle join -",
        toLaunchLine({ session: slug, team: teamName }),
      ]
        .filter((line) => line !== null)
        .join("\n"),
      note: "Installs merkle, then asks for the link. Paste it at the prompt, where no other program sees it. Run the last line in your project's folder: it starts Claude Code.",
    },
    ...findSnippets("claude-code"),
    ...findSnippets("mcp-json"),
    {
      id: "curl",
      label: "curl",
      text: buildCurlLines(base, slug, teamName),
      note: "Joins, stores the team's credential in a variable, and posts a message. MERKLE_TOKEN is one of your tokens.",
    },
  ];
}

function buildCurlLines(base: string, slug: string | null, teamName: string): string {
  const joining =
    slug === null
      ? { path: "/api/sessions", body: { title: "Auth refactor", creator_team_name: teamName } }
      : { path: `/api/sessions/${slug}/join`, body: { team_name: teamName } };
  const session = slug ?? "auth-refactor";
  return `MERKLE_URL=${toShellWord(base)}
MERKLE_CREDENTIAL=$(curl -sS "$MERKLE_URL${joining.path}" -H "Authorization: Bearer $MERKLE_TOKEN" \\
  -H 'content-type: application/json' -d ${toShellWord(JSON.stringify(joining.body))} | sed 's/.*"team_id":"\\([^"]*[.]mk_[^"]*\\)".*/\\1/')
curl -sS "$MERKLE_URL/api/sessions/${session}/messages" -H "Authorization: Bearer $MERKLE_TOKEN" \\
  -H "X-Team-ID: $MERKLE_CREDENTIAL" -H 'content-type: application/json' -d '{"content": {"text": "Here."}}'`;
}
