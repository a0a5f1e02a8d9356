import type { OutputOf, StateEntry, StateScope } from "@merkle/wire";
import { useEffect, useRef } from "react";
import { useBroker } from "@/broker/use-broker";
import { type ReadResult, useRead } from "@/broker/use-read";

export interface StateChoice {
  readonly sessionId: string;
  readonly scope: StateScope;
  /** Selects only keys that begin with this prefix. */
  readonly prefix: string;
  /** Selects only keys that sort after this key. */
  readonly after: string | null;
}

export const keysPerPage = 200;

/** Changes come in bursts. The page is read again this long after the first change. */
const settleMs = 150;

/** Returns a page of keys with their values, and reads it again when one of them changes. */
export function useStateEntries({
  sessionId,
  scope,
  prefix,
  after,
}: StateChoice): ReadResult<OutputOf<"list_state">> {
  const read = useRead(
    "list_state",
    {
      session_id: sessionId,
      scope,
      limit: keysPerPage,
      ...(prefix === "" ? {} : { prefix }),
      ...(after === null ? {} : { after }),
    },
    { on: ["session"], keepLast: true },
  );
  useStateChanges({ sessionId, scope }, read.refresh);
  return read;
}

/** Calls `run` shortly after a key of the scope has changed. */
export function useStateChanges(
  { sessionId, scope }: Pick<StateChoice, "sessionId" | "scope">,
  run: () => void,
): void {
  const broker = useBroker();
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const watchedSessionId = scope === "mesh" ? null : sessionId;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = broker.onStateChange((change) => {
      if (change.session_id !== watchedSessionId || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        latest.current();
      }, settleMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [broker, sessionId, scope]);
}

/** Returns the keys whose values have changed since the list was opened, each with its newest version. Their rows flash once. */
export function useChangedKeys(
  entries: readonly StateEntry[] | undefined,
  list: string,
): ReadonlyMap<string, number> {
  const tracked = useRef<{
    readonly list: string;
    readonly versions: Map<string, number>;
    readonly changed: Map<string, number>;
  } | null>(null);
  if (entries === undefined) return noChanges;
  if (tracked.current?.list !== list) {
    tracked.current = { list, versions: new Map(entries.map(toVersion)), changed: new Map() };
  }
  const { versions, changed } = tracked.current;
  for (const [key, version] of entries.map(toVersion)) {
    if ((versions.get(key) ?? 0) >= version) continue;
    versions.set(key, version);
    changed.set(key, version);
  }
  return changed;
}

const noChanges: ReadonlyMap<string, number> = new Map();

function toVersion({ key, version }: StateEntry): [string, number] {
  return [key, version];
}
