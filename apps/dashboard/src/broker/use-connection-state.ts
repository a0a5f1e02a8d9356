"use client";

import type { ConnectionState } from "@merkle/wire/client";
import { useCallback, useSyncExternalStore } from "react";
import type { Broker } from "./broker";
import { useBroker } from "./use-broker";

const connecting: ConnectionState = { status: "connecting" };

/** Returns the state of the connection to the broker. */
export function useConnectionState(): ConnectionState {
  return useOfConnection(({ state }) => state, connecting);
}

/** Returns a value that is read from the broker again whenever the connection's state changes. */
export function useOfConnection<T>(read: (broker: Broker) => T, before: T): T {
  const broker = useBroker();
  const subscribe = useCallback((onChange: () => void) => broker.onState(onChange), [broker]);
  return useSyncExternalStore(
    subscribe,
    () => read(broker),
    () => before,
  );
}
