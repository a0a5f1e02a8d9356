"use client";

import type { Approval } from "@merkle/wire";
import { hashApproval } from "@merkle/wire/identity";
import { limits } from "@merkle/wire/limits";
import { formatApproval, shortenAddress } from "@merkle/wire/text";
import { useId, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { PageLink } from "@/components/page-link";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { sha256 } from "@/core/sha256";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";

export interface ApprovalCardProps {
  readonly approval: Approval;
  readonly onChanged: () => void;
}

/**
 * A card for a permission that an agent is waiting for, with the whole command and the possible answers. "Always" is
 * not among the answers.
 */
export function ApprovalCard({ approval, onChanged }: ApprovalCardProps) {
  const id = useId();
  const { asked_by, session, tool, input, folder, asked_at } = approval;
  const { text, why } = formatApproval(input);
  return (
    <li aria-labelledby={id} className="rounded-lg border">
      <div className="flex flex-col gap-2 px-4 py-3">
        <h2 id={id} className="text-lg font-semibold [overflow-wrap:anywhere]">
          <bdi>{shortenAddress(asked_by)}</bdi> asks to use <bdi>{tool}</bdi>
        </h2>
        <p className="text-sm text-muted-foreground [overflow-wrap:anywhere]">
          <PageLink href={`/sessions/${session}`} className="hover:underline">
            {session}
          </PageLink>
          {" · in "}
          <span className="font-mono text-xs">{folder}</span>{" "}
          <span className="whitespace-nowrap">
            · <TimeText at={asked_at} />
          </span>
        </p>
        <pre className="rounded-md border bg-surface px-3 py-2 font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
          <code>{text}</code>
        </pre>
        {why !== null && (
          <p className="text-sm [overflow-wrap:anywhere]">
            <span className="text-muted-foreground">Agent’s reason: </span>
            <q dir="auto">{why}</q>
          </p>
        )}
        <Answers approval={approval} onChanged={onChanged} />
      </div>
    </li>
  );
}

type Decision = "allow" | "deny" | "leave";

function Answers({ approval, onChanged }: ApprovalCardProps) {
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const [isDenying, setDenying] = useState(false);
  const [words, setWords] = useState("");

  async function answer(decision: Decision): Promise<void> {
    await run(async (signal) => {
      // The hash covers everything that this card shows, so the answer approves nothing else.
      const hash = hashApproval(approval, sha256);
      const wording = decision === "deny" && words.trim() !== "" ? { words: words.trim() } : {};
      await call("answer_approval", { approval: approval.approval, decision, hash, ...wording }, { signal });
    });
    // Refresh after a refusal as well: the approval was probably answered elsewhere.
    onChanged();
  }

  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={isPending} onClick={() => void answer("allow")}>
          Allow once
        </Button>
        <Button
          variant="outline"
          disabled={isPending}
          aria-expanded={isDenying}
          onClick={() => setDenying(!isDenying)}
        >
          Deny…
        </Button>
        <Button variant="ghost" disabled={isPending} onClick={() => void answer("leave")}>
          Answer in terminal
        </Button>
      </div>
      {isDenying && (
        <form
          className="flex flex-wrap gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void answer("deny");
          }}
        >
          <Input
            ref={focusOnce}
            aria-label="Message to the agent (optional)"
            placeholder="Message to the agent (optional)"
            dir="auto"
            maxLength={limits.reasonCharsMax}
            value={words}
            onChange={({ target }) => setWords(target.value)}
            onKeyDown={(event) => event.key === "Escape" && setDenying(false)}
            className="min-w-0 flex-1 basis-64"
          />
          <Button type="submit" variant="outline" disabled={isPending}>
            Deny
          </Button>
        </form>
      )}
      <RefusalNote refusal={refusal} />
    </>
  );
}

/** Focuses a field that has just appeared. */
function focusOnce(field: HTMLInputElement | null): void {
  field?.focus();
}
