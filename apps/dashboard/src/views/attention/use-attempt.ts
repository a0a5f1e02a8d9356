"use client";

import { useState } from "react";

/** Something that is tried at the press of a button, and what came of it, in words. */
export interface Attempt {
  readonly busy: boolean;
  readonly outcome: string | null;
  /** Tries it, unless another try is under way; `work` resolves with the words for its success. */
  run(work: () => Promise<string>): void;
}

/** @param onDone - called after a success, when the list would read differently */
export function useAttempt(onDone: () => void): Attempt {
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<string | null>(null);
  return {
    busy,
    outcome,
    run(work) {
      if (busy) return;
      setBusy(true);
      work()
        .then((words) => {
          setOutcome(words);
          onDone();
        })
        .catch((error: unknown) => {
          // A person who gave no name has changed their mind, and knows it.
          if (!(error instanceof DOMException))
            setOutcome(error instanceof Error ? error.message : String(error));
        })
        .finally(() => setBusy(false));
    },
  };
}
