import { type InputOf, MerkleError, type StateChangeFrame, type StateEntry } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";
import type { BrokerClient } from "../../broker/broker-client.js";

/** A change to a key's value, with the previous entry if known, and the frame to print with --json. */
export interface ObservedStateChange {
  readonly entry: StateEntry;
  readonly before: StateEntry | undefined;
  readonly frame: StateChangeFrame;
}

interface KnownStateOptions {
  readonly client: Pick<MerkleClient, "call">;
  readonly session_id: string;
  readonly scope: "session" | "mesh";
  readonly matches: (key: string) => boolean;
}

/**
 * Tracks the last known values of the keys in a scope. Each version of a key is reported at most once, and
 * never after a later version.
 */
export function createKnownState({ client, session_id, scope, matches }: KnownStateOptions): {
  /** Reads all keys and returns the changes since the last read. The first read returns no changes. */
  read(): Promise<readonly ObservedStateChange[]>;
  /** Processes a push from the broker and returns the changes in it. */
  applyPush(push: StateChangeFrame): Promise<readonly ObservedStateChange[]>;
  /**
   * Call when version numbers are no longer comparable. The next read then reports every entry that differs
   * from the known one.
   */
  markStale(): void;
} {
  const known = new Map<string, StateEntry>();
  let isFirst = true;
  let isStale = false;

  async function getEntry(key: string): Promise<StateEntry | undefined> {
    try {
      const { history: _history, ...entry } = await client.call("get_state", { session_id, scope, key });
      return entry;
    } catch (error) {
      if (error instanceof MerkleError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  function recordEntry(entry: StateEntry): ObservedStateChange[] {
    const before = known.get(entry.key);
    if (before !== undefined && !isStale && before.version >= entry.version) return [];
    known.set(entry.key, entry);
    if (isStale && before !== undefined && JSON.stringify(before) === JSON.stringify(entry)) return [];
    return [{ entry, before, frame: toFrame(entry) }];
  }

  function toFrame({ value, ...entry }: StateEntry): StateChangeFrame {
    return {
      type: "state_change",
      session_id: scope === "mesh" ? null : session_id,
      ...entry,
      ...(value === undefined ? {} : { value }),
    };
  }

  return {
    async read() {
      const entries = (await listAllState(client, { session_id, scope })).filter(({ key }) => matches(key));
      const presentKeys = new Set(entries.map(({ key }) => key));
      const missing = [...known.values()].filter(({ key, deleted }) => !deleted && !presentKeys.has(key));
      const deleted = await Promise.all(missing.map(({ key }) => getEntry(key)));
      const changes = [...entries, ...deleted.filter((each) => each !== undefined)].flatMap(recordEntry);
      const reported = isFirst ? [] : changes;
      isFirst = false;
      isStale = false;
      return reported.sort((a, b) => a.entry.updatedAt.localeCompare(b.entry.updatedAt));
    },
    async applyPush({ type: _type, session_id: _session, ...pushed }) {
      if (!matches(pushed.key)) return [];
      // A push leaves out a value that is too large, which must then be read.
      const isWhole = pushed.deleted || pushed.value !== undefined;
      const entry = isWhole ? pushed : await getEntry(pushed.key);
      return entry === undefined ? [] : recordEntry(entry);
    },
    markStale() {
      isStale = true;
    },
  };
}

/** Lists all keys that have a value, reading them page by page. */
export async function listAllState(
  broker: Pick<BrokerClient, "call">,
  query: Pick<InputOf<"list_state">, "session_id" | "scope" | "prefix">,
): Promise<StateEntry[]> {
  const entries: StateEntry[] = [];
  let after: string | null | undefined;
  while (after !== null) {
    const page = await broker.call("list_state", {
      ...query,
      limit: limits.statePageMax,
      ...(after === undefined ? {} : { after }),
    });
    entries.push(...page.entries);
    after = page.next_cursor;
  }
  return entries;
}
