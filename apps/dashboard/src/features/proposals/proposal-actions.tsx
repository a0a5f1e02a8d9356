"use client";

import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { ConfirmButton } from "@/components/confirm-button";
import { RefusalNote } from "@/components/refusal-note";
import { setQuery } from "@/core/address/address";
import { PowerGate } from "@/identity/power-gate";
import { useSource } from "@/sessions/source-context";
import { Button } from "@/ui/button";
import { Kbd } from "@/ui/kbd";
import { getBase } from "./base-of";
import { ProposalRemark, type RemarkDecision } from "./proposal-remark";
import type { ProposalInFull } from "./use-proposals";

export interface ProposalActionsProps {
  readonly proposal: ProposalInFull;
  /** Ids of the hunks to accept. */
  readonly chosen: ReadonlySet<string>;
  readonly onEdit: () => void;
  /** Called after the chosen hunks were accepted, with the resulting version. */
  readonly onAccepted: (version: number | null) => void;
  /** Called after any decision, including decisions by other people. */
  readonly onDecided: () => void;
}

/**
 * The buttons to decide on an open proposal. Accepting writes exactly the text that is shown. A stale proposal must be
 * rebased and shown again first.
 */
export function ProposalActions({ proposal, chosen, onEdit, onAccepted, onDecided }: ProposalActionsProps) {
  const { isObserver, isOpen } = useSource();
  const call = useCall();
  const { run, pending, refusal } = useAction();
  const [remarked, setRemarked] = useState<RemarkDecision | null>(null);
  const { proposal_id, hunks, stale, kind } = proposal;
  const base = getBase(proposal);
  const isWhole = chosen.size === hunks.length;
  const closes = kind === "conclusion" && isOpen;
  if (isObserver) return null;

  async function decide(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await run(work);
    // Refresh after a refusal as well: the text or the proposal has changed since it was shown.
    onDecided();
  }
  function accept(): void {
    if (base === null) return;
    void decide(async (signal) => {
      const parts = isWhole ? {} : { hunks: [...chosen] };
      const { version } = await call(
        "decide_proposal",
        { proposal_id, decision: "accept", base, ...parts },
        { signal },
      );
      onAccepted(version);
    });
  }
  function rebase(): void {
    void decide(async (signal) => {
      const { next_proposal_id } = await call(
        "decide_proposal",
        { proposal_id, decision: "rebase" },
        { signal },
      );
      if (next_proposal_id !== null) setQuery({ proposal: String(next_proposal_id) }, { replace: true });
    });
  }

  const acceptWords = isWhole ? "Accept" : `Accept ${chosen.size} of ${hunks.length}`;
  return (
    <footer className="sticky bottom-0 grid gap-2 border-t bg-background px-3 py-2">
      {stale && (
        <p role="status" className="text-sm">
          The text has changed since this proposal was made. Review it against the newest text before
          accepting.
        </p>
      )}
      <RefusalNote refusal={refusal} />
      {remarked ? (
        <ProposalRemark
          proposalId={proposal_id}
          decision={remarked}
          onDecided={onDecided}
          onClose={() => setRemarked(null)}
        />
      ) : (
        <PowerGate>
          <div className="flex flex-wrap items-center gap-2">
            {stale ? (
              <Button disabled={pending} onClick={rebase}>
                {pending ? "Rebasing…" : "Rebase and review"}
              </Button>
            ) : (
              base !== null &&
              hunks.length > 0 && (
                <>
                  {closes ? (
                    <ConcludeWith
                      words={acceptWords}
                      disabled={pending || chosen.size === 0}
                      onConfirm={accept}
                    />
                  ) : (
                    <Button disabled={pending || chosen.size === 0} onClick={accept}>
                      {pending ? "Accepting…" : acceptWords}
                    </Button>
                  )}
                  <Button variant="outline" disabled={pending} onClick={onEdit}>
                    Edit and accept
                  </Button>
                </>
              )
            )}
            {kind === "rewrite" && (
              <Button variant="outline" disabled={pending} onClick={() => setRemarked("return")}>
                Request changes…
              </Button>
            )}
            <Button variant="ghost" disabled={pending} onClick={() => setRemarked("reject")}>
              Reject…
            </Button>
            {hunks.length > 1 && (
              <p className="ms-auto text-xs text-muted-foreground pointer-coarse:hidden">
                <Kbd>j</Kbd> <Kbd>k</Kbd> next change
              </p>
            )}
          </div>
        </PowerGate>
      )}
    </footer>
  );
}

interface ConcludeWithProps {
  readonly words: string;
  readonly disabled: boolean;
  readonly onConfirm: () => void;
}

/** Accepts a conclusion after a confirmation, because accepting it closes the session. */
function ConcludeWith({ words, disabled, onConfirm }: ConcludeWithProps) {
  return (
    <ConfirmButton
      button={<Button disabled={disabled}>{words} and conclude…</Button>}
      question="Conclude the session with this proposal?"
      yes="Conclude for everyone"
      onConfirm={onConfirm}
    >
      This is final: the session closes for everyone, and nothing can be posted after it. The conclusion can
      still be revised.
    </ConfirmButton>
  );
}
