"use client";

import type { ConnectionState } from "@merkle/wire/client";
import { useCallback, useSyncExternalStore } from "react";
import type { Broker } from "./broker";
import { useBroker } from "./use-broker";

const connecting: ConnectionState = { status: "connecting" };

/** The state of the connection to the broker. */
export function useConnectionState(): ConnectionState {
  return useOfConnection(({ state }) => state, connecting);
}

/** Something that changes with the state of the connection alone. */
export function useOfConnection<T>(read: (broker: Broker) => T, before: T): T {
  const broker = useBroker();
  const subscribe = useCallback((onChange: () => void) => broker.onState(onChange), [broker]);
  return useSyncExternalStore(
    subscribe,
    () => read(broker),
    () => before,
  );
}
