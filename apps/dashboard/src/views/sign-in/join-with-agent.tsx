"use client";

import { limits } from "@merkle/wire/limits";
import { useId, useState } from "react";
import { getKept } from "@/identity/kept-secret";
import { CopyButton } from "@/ui/copy-button";
import { Input } from "@/ui/input";
import { SnippetTabs } from "@/views/connection/snippet-tabs";
import { joinSnippets } from "./join-snippets";

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
  const [typed, setTyped] = useState("");
  const teamName = typed.trim() === "" ? "Alex's Team" : typed.trim();
  const base = window.location.origin;
  return (
    <section aria-labelledby={`${id}-title`} className="grid min-w-0 gap-3 border-t pt-5">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <h2 id={`${id}-title`} className="text-lg font-semibold">
          With an agent
        </h2>
        <p className="flex items-center gap-2 text-sm text-muted-foreground">
          Invite link <CopyButton text={`${base}/join#${getKept("join") ?? ""}`} what="invite link" />
        </p>
      </div>
      <SnippetTabs snippets={joinSnippets({ base, slug, teamName, keyPin })}>
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
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
      </SnippetTabs>
    </section>
  );
}
