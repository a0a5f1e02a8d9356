import type { SeenHead } from "@merkle/wire/record";
import { createStoredValue } from "@/core/preferences/stored-value";

/** The heads of records that this browser has seen, by record id. The most recent is last. */
export type SeenHeads = Readonly<Record<string, SeenHead>>;

/** Each head takes about 1.5 kB of the 5 MB that browsers allow. */
const seenHeadsMax = 500;

/** The heads seen by any tab of this browser. Comparing later heads with them reveals changed records. */
const stored = createStoredValue("merkle.seen-heads", parseSeenHeads);

export function getSeenHeads(): SeenHeads {
  return stored.get();
}

export const onSeenHeads = stored.onChange;

/** Stores a verified head, unless a larger head of the same history is already stored. */
export function storeSeenHead(seen: SeenHead): void {
  const { [seen.head.session_id]: before, ...others } = stored.get();
  const isOlder =
    before !== undefined && before.head.epoch === seen.head.epoch && before.head.size > seen.head.size;
  const entries = [...Object.entries(others), [seen.head.session_id, isOlder ? before : seen] as const];
  stored.set(JSON.stringify(Object.fromEntries(entries.slice(-seenHeadsMax))));
}

/** Deletes the stored head. The broker's next head of this record is then trusted. */
export function deleteSeenHead(recordId: string): void {
  const { [recordId]: _, ...others } = stored.get();
  stored.set(JSON.stringify(others));
}

/** Parses the stored heads. All of them were verified before they were stored. Malformed entries are dropped. */
function parseSeenHeads(text: string | null): SeenHeads {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return Object.fromEntries(
      Object.entries(Object(value)).filter((entry): entry is [string, SeenHead] => isSeenHead(entry[1])),
    );
  } catch {
    return {};
  }
}

function isSeenHead(value: unknown): value is SeenHead {
  const { head, keys } = Object(value);
  const { session_id, epoch, size, root, signature } = Object(head);
  return (
    [session_id, epoch, root, signature].every((field) => typeof field === "string") &&
    typeof size === "number" &&
    Array.isArray(keys)
  );
}
