import type { Refusal } from "@/broker/refusal";
import { cn } from "@/core/utils";

interface RefusalNoteProps {
  readonly refusal: Refusal | null;
  /** Whether to mention that the draft is saved. */
  readonly isDraftSaved?: boolean;
  readonly className?: string;
}

/** Shows next to a control why its action failed. */
export function RefusalNote({ refusal, isDraftSaved = false, className }: RefusalNoteProps) {
  if (refusal === null) return null;
  return (
    <div
      role="alert"
      title={refusal.code}
      className={cn("rounded-md border border-danger/40 bg-danger-surface px-3 py-2 text-sm", className)}
    >
      <p className="font-medium text-danger">{refusal.title}</p>
      <p dir="auto" className="break-words">
        {refusal.detail} {isDraftSaved && "Your draft is saved."}
      </p>
    </div>
  );
}
