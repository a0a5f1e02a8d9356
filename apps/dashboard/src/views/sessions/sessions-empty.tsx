"use client";

import { useRead } from "@/broker/use-read";
import { Snippet } from "@/components/snippet";
import { quoteForShell } from "@/core/quote-for-shell";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";

/** A mesh without sessions: how to start the first one, here, with Claude Code or with any client. */
export function SessionsEmpty({ onStart }: { onStart: () => void }) {
  const { data: info } = useRead("get_app_info", {}, { on: ["settings"] });
  return (
    <Empty>
      <EmptyTitle>No sessions yet</EmptyTitle>
      <EmptyDescription>
        A session is a room for one piece of work: a feed, a document, and who takes part. Start one here, or
        let an agent start it; it appears by itself.
      </EmptyDescription>
      <Button onClick={onStart}>Start the first session</Button>
      {info && (
        <div className="grid w-full max-w-2xl gap-3 text-left">
          <Snippet label="With Claude Code" text={`merkle launch --new ${quoteForShell("Auth refactor")}`} />
          {info.auth === "open" && <Snippet label="Any client" text={createCommand(info.base_url)} />}
        </div>
      )}
    </Empty>
  );
}

/** A list that is empty because of what was asked for. */
export function NoneFound({ words, onShowAll }: { words: string; onShowAll: () => void }) {
  return (
    <Empty>
      <EmptyTitle>{words}</EmptyTitle>
      <Button variant="outline" onClick={onShowAll}>
        Show all sessions
      </Button>
    </Empty>
  );
}

function createCommand(baseUrl: string): string {
  const address = quoteForShell(`${baseUrl}/api/sessions`);
  const body = JSON.stringify({ title: "Auth refactor", creator_team_name: "My team" });
  return `curl -sS ${address} -H 'Content-Type: application/json' -d ${quoteForShell(body)}`;
}
