import { useState } from "react";
import { type Problem, toProblem } from "@/lib/broker/problem";

export interface Save {
  /** Does it, unless it is being done. */
  run(work: () => Promise<void>): void;
  readonly isSaving: boolean;
  /** Why the last try failed; what was written is still there. */
  readonly problem: Problem | null;
}

/** One write of the document at a time. Going without a name is no failure. */
export function useSave(): Save {
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  async function save(work: () => Promise<void>): Promise<void> {
    setSaving(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      const isDeclined = error instanceof DOMException && error.name === "AbortError";
      if (!isDeclined) setProblem(toProblem(error));
    } finally {
      setSaving(false);
    }
  }

  return {
    run: (work) => {
      if (!isSaving) void save(work);
    },
    isSaving,
    problem,
  };
}
