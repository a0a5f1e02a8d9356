import type { ConnectionState } from "@merkle/wire/client";

/** Whether the broker lets in members alone, and nobody is signed in in this browser, or not any more. */
export function isStranger(state: ConnectionState): boolean {
  return state.status === "closed" && state.code === "unauthorized";
}
