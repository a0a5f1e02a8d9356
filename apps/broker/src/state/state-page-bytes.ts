import { limits } from "@merkle/wire";
import type { Context } from "../sessions/context.js";
import type { StateServices } from "./services.js";

/** How much of state one reply holds: a model pays for each character. */
export function statePageBytes({ view }: Context<StateServices>): number {
  return view === "compact" ? limits.compactPageCharsMax : limits.pageBytesMax;
}
