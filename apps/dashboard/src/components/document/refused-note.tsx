import type { Problem } from "@/lib/broker/problem";

/** Why something was not written, and that it is still here. */
export function RefusedNote({ problem }: { problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <p role="alert" className="rounded-md border border-danger/40 bg-danger-surface px-3 py-2 text-sm">
      <span className="font-medium text-danger">{problem.title}</span>{" "}
      <span dir="auto">{problem.detail}</span> What you wrote is kept.{" "}
      <span className="font-mono text-xs text-muted-foreground">({problem.code})</span>
    </p>
  );
}
