"use client";

import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { useCallback, useMemo, useRef, useSyncExternalStore } from "react";
import type { ChangeKind } from "./broker";
import type { ReadState } from "./read-store";
import { useBrokerServices } from "./use-broker";

export type Read<T> = ReadState<T> & {
  /** Reads again at once. */
  readonly refresh: () => void;
};

export interface ReadOptions {
  /** The changes, of the mesh or of the session that the input names, after which it is read again. */
  readonly on?: readonly ChangeKind[];
  /**
   * Goes on showing what was read for the last input until there is something for this one, as a list that is filtered should.
   */
  readonly keepLast?: boolean;
}

const waiting = { status: "loading", data: undefined, problem: undefined } as const;

/**
 * Returns an operation's answer, kept up to date: it is read again when a change of the kinds given is told, and after every
 * reconnect. With null as input nothing is read yet. All who read the same share one answer.
 */
export function useRead<Name extends OperationName>(
  name: Name,
  input: InputOf<Name> | null,
  { on = [], keepLast = false }: ReadOptions = {},
): Read<OutputOf<Name>> {
  const { reads } = useBrokerServices();
  const key = input === null ? null : keyOfRead(name, input, on);
  // The key is made of the request, so the same key is the same request.
  // biome-ignore lint/correctness/useExhaustiveDependencies: name, input and on are in the key.
  const request = useMemo(() => (input === null ? null : { name, input, on }), [key]);
  const subscribe = useCallback(
    (onChange: () => void) =>
      key === null || request === null ? () => undefined : reads.use(key, request, onChange),
    [reads, key, request],
  );
  const state = useSyncExternalStore(
    subscribe,
    () => (key === null ? waiting : reads.state<Name>(key)),
    () => waiting,
  );
  const shown = useLast(state, keepLast);
  const refresh = useCallback(() => key !== null && reads.refresh(key), [reads, key]);
  return useMemo(() => ({ ...shown, refresh: () => void refresh() }), [shown, refresh]);
}

/** The key under which the store has a read. */
export function keyOfRead(name: OperationName, input: object, on: readonly ChangeKind[] = []): string {
  return JSON.stringify([name, input, on]);
}

/** In place of a state that is still loading, the last one that had something to show. */
function useLast<T>(state: ReadState<T>, keepLast: boolean): ReadState<T> {
  const last = useRef(state);
  if (state.status !== "loading") last.current = state;
  return keepLast ? last.current : state;
}
