"use client";

import type { ConnectionState } from "@merkle/wire/client";
import { useCallback, useSyncExternalStore } from "react";
import { useBroker } from "./use-broker";

const connecting: ConnectionState = { status: "connecting" };

/** How it stands with the broker. */
export function useConnectionState(): ConnectionState {
  const broker = useBroker();
  const subscribe = useCallback((onChange: () => void) => broker.onState(onChange), [broker]);
  return useSyncExternalStore(
    subscribe,
    () => broker.state,
    () => connecting,
  );
}
