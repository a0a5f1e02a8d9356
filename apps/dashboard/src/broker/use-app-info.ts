"use client";

import type { OutputOf } from "@merkle/wire";
import { type Read, useRead } from "@/broker/use-read";

export type AppInfo = OutputOf<"get_app_info">;

/** Returns the broker's description and the addresses for agents, kept up to date. */
export function useAppInfo(): Read<AppInfo> {
  return useRead("get_app_info", {}, { on: ["settings"] });
}
