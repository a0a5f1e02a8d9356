"use client";

import type { OutputOf } from "@merkle/wire";
import { type ReadResult, useRead } from "@/broker/use-read";

export type AppInfo = OutputOf<"get_app_info">;

/** Returns the broker's description and the addresses for agents, kept up to date. */
export function useAppInfo(): ReadResult<AppInfo> {
  return useRead("get_app_info", {}, { on: ["settings"] });
}
