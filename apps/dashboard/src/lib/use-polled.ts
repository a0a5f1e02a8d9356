import { useCallback, useEffect, useRef, useState } from "react";
import { type Problem, ReadError } from "./broker-api";
import { type Polling, startPolling } from "./start-polling";

/** What is known of something that is read again and again. `checkedAt` is the end of the last try. */
export type Polled<T> =
  | { readonly status: "loading" }
  | { readonly status: "ready"; readonly data: T; readonly checkedAt: Date }
  | {
      readonly status: "failed";
      readonly problem: Problem;
      readonly since: Date;
      readonly checkedAt: Date;
      /** What was read before it failed. */
      readonly data: T | null;
    };

export const pollEveryMs = 5_000;

/** Keeps reading; `read` must stay the same function until something else is to be read. */
export function usePolled<T>(read: (signal: AbortSignal) => Promise<T>): {
  state: Polled<T>;
  refresh: () => void;
} {
  const [state, setState] = useState<Polled<T>>({ status: "loading" });
  const polling = useRef<Polling>(null);
  useEffect(() => {
    const started = startPolling({
      everyMs: pollEveryMs,
      read,
      onRead: (data) => setState({ status: "ready", data, checkedAt: new Date() }),
      onError: (error) => setState((before) => toFailed(before, error)),
    });
    polling.current = started;
    return () => started.stop();
  }, [read]);
  return { state, refresh: useCallback(() => polling.current?.refresh(), []) };
}

function toFailed<T>(before: Polled<T>, error: unknown): Polled<T> {
  const checkedAt = new Date();
  return {
    status: "failed",
    problem: toProblem(error),
    since: before.status === "failed" ? before.since : checkedAt,
    checkedAt,
    data: before.status === "loading" ? null : before.data,
  };
}

function toProblem(error: unknown): Problem {
  if (error instanceof ReadError) return error.problem;
  return { title: "The page could not read the broker's answer.", detail: String(error) };
}
