import { useCallback, useEffect, useRef, useState } from "react";
import { type Refusal, toRefusal } from "./refusal";

export interface Action {
  /** Does it, unless it is being done; resolves with whether it was done. */
  run(work: (signal: AbortSignal) => Promise<void>): Promise<boolean>;
  readonly pending: boolean;
  /** Why the last try failed. */
  readonly refusal: Refusal | null;
  /** Gives up what is under way, and forgets the last failure. */
  reset(): void;
}

/** One thing that a person can ask for, done once at a time; what is under way ends with its component. */
export function useAction(): Action {
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const current = useRef<AbortController>(null);

  const run = useCallback(async (work: (signal: AbortSignal) => Promise<void>): Promise<boolean> => {
    if (current.current !== null) return false;
    const controller = new AbortController();
    current.current = controller;
    setPending(true);
    setRefusal(null);
    try {
      await work(controller.signal);
      return !controller.signal.aborted;
    } catch (error) {
      if (!isAbort(error)) setRefusal(toRefusal(error));
      return false;
    } finally {
      if (current.current === controller) {
        current.current = null;
        setPending(false);
      }
    }
  }, []);

  const reset = useCallback(() => {
    current.current?.abort();
    current.current = null;
    setPending(false);
    setRefusal(null);
  }, []);

  useEffect(() => () => current.current?.abort(), []);
  return { run, pending, refusal, reset };
}

/** It was given up, here or by not giving a name: then nothing is to be said about it. */
function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
