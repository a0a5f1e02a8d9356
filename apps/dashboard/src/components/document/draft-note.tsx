import { TimeText } from "@/components/time-text";
import { Button } from "@/components/ui/button";
import type { DocumentDraft } from "./document-draft";
import { DiscardDraft } from "./lazy-faces";

export interface DraftNoteProps {
  readonly draft: DocumentDraft;
  readonly onResume: () => void;
  readonly onDiscard: () => void;
}

/** Says that something written here was not saved. */
export function DraftNote({ draft, onResume, onDiscard }: DraftNoteProps) {
  return (
    <div
      role="note"
      className="mb-3 flex flex-wrap items-center gap-2 rounded-md border bg-surface px-3 py-1 text-sm"
    >
      <p className="min-w-0 flex-1">
        What you wrote on v{draft.baseVersion} is not saved (
        <TimeText at={draft.changedAt} />
        ).
      </p>
      <Button size="sm" variant="outline" onClick={onResume}>
        Go on writing
      </Button>
      <DiscardDraft onDiscard={onDiscard} />
    </div>
  );
}
