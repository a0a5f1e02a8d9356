import type { SeenHead } from "@merkle/wire/record";
import { createStoredValue } from "@/core/preferences/stored-value";

/** The heads of records that this browser saw, by the records' ids; the one that was seen last at the end. */
export type SeenHeads = Readonly<Record<string, SeenHead>>;

/** Some 1.5 kB each, of the 5 MB that a browser keeps. */
const seenMax = 500;

/**
 * The heads that any tab of this browser saw. Later heads are compared with them, so that a record that was changed is noticed.
 */
const stored = createStoredValue("merkle.seen-heads", parseSeen);

export function getSeenHeads(): SeenHeads {
  return stored.get();
}

export const onSeenHeads = stored.onChange;

/** Keeps a head that was checked, unless a larger one of the same history is kept already. */
export function rememberHead(seen: SeenHead): void {
  const { [seen.head.session_id]: before, ...others } = stored.get();
  const isOlder =
    before !== undefined && before.head.epoch === seen.head.epoch && before.head.size > seen.head.size;
  const entries = [...Object.entries(others), [seen.head.session_id, isOlder ? before : seen] as const];
  stored.set(JSON.stringify(Object.fromEntries(entries.slice(-seenMax))));
}

/** Trusts the broker's head of the record from now on, whatever was seen before. */
export function forgetHead(recordId: string): void {
  const { [recordId]: _, ...others } = stored.get();
  stored.set(JSON.stringify(others));
}

/** Reads stored heads, which came from checks of ours; one that does not look like a head is as if it had not been kept. */
function parseSeen(text: string | null): SeenHeads {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    return Object.fromEntries(
      Object.entries(Object(kept)).filter((entry): entry is [string, SeenHead] => isSeen(entry[1])),
    );
  } catch {
    return {};
  }
}

function isSeen(value: unknown): value is SeenHead {
  const { head, keys } = Object(value);
  const { session_id, epoch, size, root, signature } = Object(head);
  return (
    [session_id, epoch, root, signature].every((field) => typeof field === "string") &&
    typeof size === "number" &&
    Array.isArray(keys)
  );
}
