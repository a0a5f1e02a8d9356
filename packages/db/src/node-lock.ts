import type { ConnectionTarget } from "./connection.js";
import { renewClient } from "./renewed-client.js";

/** Says that this broker is the only node on its database. */
export interface NodeLock {
  /** Whether we still hold it; a server that was restarted has forgotten, and is asked again. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

const singleNode = 7_423_002;

/** Takes the lock of a broker that is alone on a database, or returns null when another one has it. */
export async function holdNodeLock(target: ConnectionTarget): Promise<NodeLock | null> {
  const client = renewClient(target, 1, { keepOpen: true });

  /** Taken by this very connection already, it is not taken again: it would have to be released as often. */
  async function take(): Promise<boolean> {
    const [row] = await client.current`
      SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
                     AND ((classid::bigint << 32) | objid::bigint) = ${singleNode} AND granted)
          OR pg_try_advisory_lock(${singleNode}) AS held`;
    return row?.["held"] === true;
  }

  const lock: NodeLock = { isHeld: take, release: client.end };
  if (await take()) return lock;
  await lock.release();
  return null;
}
