import { compactMessage, limits } from "@merkle/wire/plain";
import type { Fits } from "./inbox.js";

/** Says how long messages fit on the page of whoever reads it: the first one always does (WAIT-9). */
export function fitPage(view: "compact" | "json"): Fits {
  const max = view === "compact" ? limits.compactPageCharsMax : limits.pageBytesMax;
  let used = 0;
  let count = 0;
  return (message) => {
    used += view === "compact" ? compactMessage(message).length + 1 : JSON.stringify(message).length;
    count += 1;
    return count === 1 || (used <= max && count <= limits.pageMessagesMax);
  };
}
