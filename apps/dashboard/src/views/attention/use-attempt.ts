"use client";

import { useState } from "react";
import type { Attempt } from "@/parts/feature";

/** @param onDone - called after a success, to refresh the list */
export function useAttempt(onDone: () => void): Attempt {
  const [isBusy, setIsBusy] = useState(false);
  const [outcome, setOutcome] = useState<string | null>(null);
  return {
    isBusy,
    outcome,
    run(work) {
      if (isBusy) return;
      setIsBusy(true);
      work()
        .then((text) => {
          setOutcome(text);
          onDone();
        })
        .catch((error: unknown) => {
          // The person declined to enter a name, so there is no error to show.
          if (!(error instanceof DOMException))
            setOutcome(error instanceof Error ? error.message : String(error));
        })
        .finally(() => setIsBusy(false));
    },
  };
}
