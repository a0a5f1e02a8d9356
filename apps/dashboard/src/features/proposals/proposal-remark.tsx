"use client";

import { limits } from "@merkle/wire/limits";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { useKeptText } from "@/sessions/use-kept-text";
import { Button } from "@/ui/button";
import { Textarea } from "@/ui/textarea";

/** The decisions that can include a remark. */
export type RemarkDecision = "return" | "reject";

export interface ProposalRemarkProps {
  readonly proposalId: number;
  readonly decision: RemarkDecision;
  readonly onDecided: () => void;
  readonly onClose: () => void;
}

const decisionTexts = {
  return: { label: "Changes to make", does: "Request changes", doing: "Requesting…" },
  reject: { label: "Reason (optional)", does: "Reject", doing: "Rejecting…" },
} as const;

/** A form to reject a proposal, or to request changes, for which a remark is required. */
export function ProposalRemark({ proposalId, decision, onDecided, onClose }: ProposalRemarkProps) {
  const call = useCall();
  const [text, setText, forget] = useKeptText(`merkle.remark.${proposalId}`, "");
  const { run, isPending, refusal } = useAction();
  const remark = text.trim();
  const { label, does: submitLabel, doing: pendingLabel } = decisionTexts[decision];
  const isReady = (remark !== "" || decision === "reject") && remark.length <= limits.proposalNoteCharsMax;

  async function decide(): Promise<void> {
    if (!isReady) return;
    const isDone = await run(async (signal) => {
      const input = { proposal_id: proposalId, decision, ...(remark !== "" && { remark }) };
      await call("decide_proposal", input, { signal });
      forget();
    });
    onDecided();
    if (isDone) onClose();
  }

  return (
    <form
      aria-label={submitLabel}
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void decide();
      }}
    >
      <Textarea
        autoFocus
        aria-label={label}
        placeholder={label}
        className="max-h-40"
        maxLength={limits.proposalNoteCharsMax}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void decide();
        }}
      />
      <RefusalNote refusal={refusal} isDraftSaved />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={isPending || !isReady}>
          {isPending ? pendingLabel : submitLabel}
        </Button>
        <Button type="button" variant="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
