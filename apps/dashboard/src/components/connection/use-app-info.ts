"use client";

import type { OutputOf } from "@merkle/wire";
import { readFromBroker } from "@/lib/broker-api";
import { type Polled, usePolled } from "@/lib/use-polled";

export type AppInfo = OutputOf<"get_app_info">;

/** Which broker this is and how agents reach it, kept up to date. */
export function useAppInfo(): Polled<AppInfo> {
  return usePolled(readAppInfo).state;
}

function readAppInfo(signal: AbortSignal): Promise<AppInfo> {
  return readFromBroker("/api/app-info", {}, signal);
}
