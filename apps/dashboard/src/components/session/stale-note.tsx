import { Button } from "@/components/ui/button";
import type { Problem } from "@/lib/broker/problem";

/** Says that what stands here is from before, and why it could not be read again. */
export function StaleNote({ problem, onRetry }: { problem: Problem; onRetry: () => void }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-danger-surface px-4 py-1.5 text-sm"
    >
      <p className="min-w-0 flex-1 break-words">
        <span className="font-medium text-danger">{problem.title}</span> Header and roster are from before. (
        {problem.code})
      </p>
      <Button variant="outline" size="sm" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
