"use client";

import { useState } from "react";
import type { Attempt } from "@/parts/feature";

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
