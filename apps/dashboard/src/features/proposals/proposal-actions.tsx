"use client";

import type { ProposalInFull } from "@merkle/wire";
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
import { findBase } from "./base-of";
import { ProposalRemark, type RemarkDecision } from "./proposal-remark";

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
  const { run, isPending, refusal } = useAction();
  const [remarkDecision, setRemarkDecision] = useState<RemarkDecision | null>(null);
  const { proposal_id, hunks, stale, kind } = proposal;
  const base = findBase(proposal);
  const isWhole = chosen.size === hunks.length;
  const isConcluding = kind === "conclusion" && isOpen;
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

  const acceptLabel = isWhole ? "Accept" : `Accept ${chosen.size} of ${hunks.length}`;
  return (
    <footer className="sticky bottom-0 grid gap-2 border-t bg-background px-3 py-2">
      {stale && (
        <p role="status" className="text-sm">
          The text has changed since this proposal was made. Review it against the newest text before
          accepting.
        </p>
      )}
      <RefusalNote refusal={refusal} />
      {remarkDecision ? (
        <ProposalRemark
          proposalId={proposal_id}
          decision={remarkDecision}
          onDecided={onDecided}
          onClose={() => setRemarkDecision(null)}
        />
      ) : (
        <PowerGate>
          <div className="flex flex-wrap items-center gap-2">
            {stale ? (
              <Button disabled={isPending} onClick={rebase}>
                {isPending ? "Rebasing…" : "Rebase and review"}
              </Button>
            ) : (
              base !== null &&
              hunks.length > 0 && (
                <>
                  {isConcluding ? (
                    <ConcludeWith
                      actionLabel={acceptLabel}
                      isDisabled={isPending || chosen.size === 0}
                      onConfirm={accept}
                    />
                  ) : (
                    <Button disabled={isPending || chosen.size === 0} onClick={accept}>
                      {isPending ? "Accepting…" : acceptLabel}
                    </Button>
                  )}
                  <Button variant="outline" disabled={isPending} onClick={onEdit}>
                    Edit and accept
                  </Button>
                </>
              )
            )}
            {kind === "rewrite" && (
              <Button variant="outline" disabled={isPending} onClick={() => setRemarkDecision("return")}>
                Request changes…
              </Button>
            )}
            <Button variant="ghost" disabled={isPending} onClick={() => setRemarkDecision("reject")}>
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
  readonly actionLabel: string;
  readonly isDisabled: boolean;
  readonly onConfirm: () => void;
}

/** Accepts a conclusion after a confirmation, because accepting it closes the session. */
function ConcludeWith({ actionLabel, isDisabled, onConfirm }: ConcludeWithProps) {
  return (
    <ConfirmButton
      button={<Button disabled={isDisabled}>{actionLabel} and conclude…</Button>}
      question="Conclude the session with this proposal?"
      confirmLabel="Conclude for everyone"
      onConfirm={onConfirm}
    >
      The session closes for everyone: nothing can be posted after it, and only the conclusion can still be
      changed.
    </ConfirmButton>
  );
}
