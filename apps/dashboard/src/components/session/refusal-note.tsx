import { cn } from "@/lib/utils";
import type { Refusal } from "./refusal";

/** Says beside a control why what was asked of it was not done. */
export function RefusalNote({ refusal, className }: { refusal: Refusal | null; className?: string }) {
  if (refusal === null) return null;
  return (
    <div
      role="alert"
      className={cn("rounded-md border border-danger/40 bg-danger-surface px-3 py-2 text-sm", className)}
    >
      <p className="font-medium text-danger">{refusal.title}</p>
      <p dir="auto" className="break-words">
        {refusal.detail} <span className="font-mono text-xs text-muted-foreground">({refusal.code})</span>
      </p>
    </div>
  );
}
