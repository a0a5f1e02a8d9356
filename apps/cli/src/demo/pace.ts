import { type Flags, isSet, textOf } from "../command/flags.js";
import { usageError } from "../core/cli-error.js";

const slowPace = 4;

/** How many times slower than half a minute the demo plays. */
export function readPace(flags: Flags): number {
  const text = textOf(flags, "pace");
  if (text === undefined) return isSet(flags, "slow") ? slowPace : 1;
  const pace = Number(text);
  if (text.trim() !== "" && pace >= 0 && pace <= 60) return pace;
  throw usageError(`--pace must be a number from 0 to 60, got ${JSON.stringify(text)}.`);
}
