"use client";

import { useState } from "react";
import type { Attempt } from "@/parts/feature";

/** @param onDone - called after a success, to refresh the list */
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
          // The person declined to enter a name, so there is no error to show.
          if (!(error instanceof DOMException))
            setOutcome(error instanceof Error ? error.message : String(error));
        })
        .finally(() => setBusy(false));
    },
  };
}
