import { limits } from "@merkle/wire";
import type { Context } from "../context.js";

/** How much of state one reply holds: a model pays for each character. */
export function statePageBytes({ view }: Context): number {
  return view === "compact" ? limits.compactPageCharsMax : limits.pageBytesMax;
}
