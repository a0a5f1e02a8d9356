import { useCallback, useEffect, useRef, useState } from "react";
import { type Refusal, toRefusal } from "./refusal";

export interface Action {
  /** Runs the work, unless earlier work is still running. Resolves with true if the work succeeded. */
  run(work: (signal: AbortSignal) => Promise<void>): Promise<boolean>;
  readonly isPending: boolean;
  /** The reason why the last attempt failed. */
  readonly refusal: Refusal | null;
  /** Aborts a running action and clears the last failure. */
  reset(): void;
}

/** Returns an action that runs at most once at a time. The action is aborted when its component unmounts. */
export function useAction(): Action {
  const [isPending, setIsPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const activeController = useRef<AbortController>(null);

  const run = useCallback(async (work: (signal: AbortSignal) => Promise<void>): Promise<boolean> => {
    if (activeController.current !== null) return false;
    const controller = new AbortController();
    activeController.current = controller;
    setIsPending(true);
    setRefusal(null);
    try {
      await work(controller.signal);
      return !controller.signal.aborted;
    } catch (error) {
      if (!isAbort(error)) setRefusal(toRefusal(error));
      return false;
    } finally {
      if (activeController.current === controller) {
        activeController.current = null;
        setIsPending(false);
      }
    }
  }, []);

  const reset = useCallback(() => {
    activeController.current?.abort();
    activeController.current = null;
    setIsPending(false);
    setRefusal(null);
  }, []);

  useEffect(() => () => activeController.current?.abort(), []);
  return { run, isPending, refusal, reset };
}

/** True if the action was aborted, or the user declined to enter a name. Neither is shown as a failure. */
function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
