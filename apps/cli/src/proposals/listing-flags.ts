import type { Flag } from "../command/command.js";

/** Of the commands that list proposals. */
export const listingFlags: readonly Flag[] = [
  { flags: "--all", summary: "also those that were decided about; the last 100" },
];
