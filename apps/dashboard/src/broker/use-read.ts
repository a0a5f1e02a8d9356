"use client";

import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { useCallback, useMemo, useRef, useSyncExternalStore } from "react";
import type { ChangeKind } from "./broker";
import type { ReadState } from "./read-store";
import { useBrokerServices } from "./use-broker";

export type ReadResult<T> = ReadState<T> & {
  /** Repeats the read immediately. */
  readonly refresh: () => void;
};

export interface ReadOptions {
  /** The kinds of change, in the mesh or the input's session, that trigger another read. */
  readonly on?: readonly ChangeKind[];
  /** Keeps showing the data for the previous input until new data arrives. Meant for filtered lists. */
  readonly keepLast?: boolean;
}

const loadingState = { status: "loading", data: undefined, problem: undefined } as const;

/**
 * Returns an operation's answer and keeps it up to date. It is read again on each change of the given kinds, and after every
 * reconnect. With a null input, nothing is read. Components with the same request share one answer.
 */
export function useRead<Name extends OperationName>(
  name: Name,
  input: InputOf<Name> | null,
  { on = [], keepLast = false }: ReadOptions = {},
): ReadResult<OutputOf<Name>> {
  const { reads } = useBrokerServices();
  const key = input === null ? null : toReadKey(name, input, on);
  // The key contains the whole request.
  // biome-ignore lint/correctness/useExhaustiveDependencies: name, input and on are in the key.
  const request = useMemo(() => (input === null ? null : { name, input, on }), [key]);
  const subscribe = useCallback(
    (onChange: () => void) =>
      key === null || request === null ? () => undefined : reads.subscribe(key, request, onChange),
    [reads, key, request],
  );
  const state = useSyncExternalStore(
    subscribe,
    () => (key === null ? loadingState : reads.getState<Name>(key)),
    () => loadingState,
  );
  const visibleState = useLastLoaded(state, keepLast);
  const refresh = useCallback(() => key !== null && reads.refresh(key), [reads, key]);
  return useMemo(() => ({ ...visibleState, refresh: () => void refresh() }), [visibleState, refresh]);
}

/** Returns the key of a read in the store. */
export function toReadKey(name: OperationName, input: object, on: readonly ChangeKind[] = []): string {
  return JSON.stringify([name, input, on]);
}

/** With `keepLast`, returns the last state that was not loading. */
function useLastLoaded<T>(state: ReadState<T>, keepLast: boolean): ReadState<T> {
  const last = useRef(state);
  if (state.status !== "loading") last.current = state;
  return keepLast ? last.current : state;
}
