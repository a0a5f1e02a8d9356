"use client";

import { useState } from "react";
import type { ActionNote, Attempt } from "@/parts/feature";

/** @param onDone - called after a success, to report it and to refresh the list */
export function useAttempt(onDone: (note: ActionNote) => void): Attempt {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  return {
    isBusy,
    failure,
    run(work) {
      if (isBusy) return;
      setIsBusy(true);
      work()
        .then((note) => {
          setFailure(null);
          onDone(note);
        })
        .catch((error: unknown) => {
          // The person declined to enter a name, so there is no error to show.
          if (!(error instanceof DOMException))
            setFailure(error instanceof Error ? error.message : String(error));
        })
        .finally(() => setIsBusy(false));
    },
  };
}
