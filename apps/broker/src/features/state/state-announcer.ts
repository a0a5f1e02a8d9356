import {
  appendInTransaction,
  type Database,
  findStateEntry,
  listStateChanges,
  listStateWatchers,
  listUnannouncedState,
  lockStateEntry,
  markStateAnnounced,
  type StoredMessage,
  type Transaction,
} from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { Bus } from "../../core/bus/bus.js";
import type { Log } from "../../core/log.js";
import { toStoredMessage, toSystemRow } from "../../core/message.js";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import type { Channels } from "../../feed/delivery/channels.js";
import { computeMsUntilDue, toStateChange, toStateEvent } from "./state-entry.js";

/**
 * Posts the state events that were delayed because they came too soon after their key's previous event
 * (STATE-7).
 */
export interface StateAnnouncer {
  announceLater(sessionId: string, key: string, inMs: number): void;
  /** Announces overdue changes that were never announced because a broker stopped or failed. */
  catchUp(): Promise<void>;
  /**
   * Pushes recent changes made on other nodes, in case their notifications were lost. Skips changes that were
   * already pushed.
   */
  pushRecent(): Promise<void>;
  stop(): Promise<void>;
}

/** Maximum number of keys handled in one run. The next run handles the rest. */
const catchUpMax = 1_000;
/** How far back to look for changes. The time covers a few sweeps, in case a sweep is late. */
const recentSeconds = 20;

/**
 * Announces the changes that an earlier broker left unannounced, and then continues with new ones. The
 * database determines which events are due; timers only trigger the check.
 */
export function startStateAnnouncer(options: {
  database: Pick<Database, "orm" | "transaction">;
  bus: Pick<Bus, "on">;
  channels: Pick<Channels, "deliver" | "state">;
  log: Log;
}): StateAnnouncer {
  const { database, bus, channels, log } = options;
  const timers = new Map<string, NodeJS.Timeout>();
  const underWay = new Set<Promise<void>>();
  let isStopped = false;

  function announceLater(sessionId: string, key: string, inMs: number): void {
    const name = `${sessionId} ${key}`;
    if (isStopped || timers.has(name)) return;
    const timer = setTimeout(() => {
      timers.delete(name);
      run(() => announce(sessionId, key));
    }, inMs);
    timers.set(name, timer);
  }

  function run(work: () => Promise<void>): void {
    const done = work()
      .catch((error: unknown) => log.warn("announcing state failed; it is tried again", { error }))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }

  async function announce(sessionId: string, key: string): Promise<void> {
    const result = await retryWhileLost(() =>
      database.transaction((tx) => announceInFeed(tx, sessionId, key)),
    );
    if (typeof result === "number") announceLater(sessionId, key, result);
    else if (result) channels.deliver(sessionId, [result]);
  }

  async function announceDue(unannouncedForMs: number): Promise<void> {
    const keys = await listUnannouncedState(database.orm, { forMs: unannouncedForMs, limit: catchUpMax });
    for (const { scopeId, key } of keys) {
      if (isStopped) return;
      await announce(scopeId, key);
    }
  }

  async function push(mesh: string, session: string | null, key: string): Promise<void> {
    const row = await findStateEntry(database.orm, session ?? mesh, key);
    if (row) channels.state.push(mesh, toStateChange(session, row));
  }

  async function pushRecent(): Promise<void> {
    const { sessionIds, meshIds } = channels.state.listReadScopes();
    for (const row of await listStateChanges(database.orm, [...sessionIds, ...meshIds], recentSeconds)) {
      const { scopeId } = row;
      // `push` uses the mesh id only for keys that belong to a mesh, so any value is fine for a session's key.
      channels.state.push(scopeId, toStateChange(meshIds.includes(scopeId) ? null : scopeId, row));
    }
  }

  bus.on("state", ({ mesh, session, key }) => {
    if (channels.state.isRead(mesh, session)) run(() => push(mesh, session, key));
  });
  run(() => announceDue(0));
  return {
    announceLater,
    catchUp: () => announceDue(limits.stateEventMsMin),
    pushRecent,
    async stop() {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      await Promise.all(underWay);
    },
  };
}

/**
 * Posts the event of a key's last change. Returns the remaining delay in milliseconds if the event is not due
 * yet, or null if it was already posted.
 */
async function announceInFeed(
  tx: Transaction,
  sessionId: string,
  key: string,
): Promise<StoredMessage | number | null> {
  const entry = await lockStateEntry(tx, sessionId, key);
  if (!entry || entry.announcedVersion === entry.version) return null;
  const dueInMs = computeMsUntilDue(entry);
  if (dueInMs > 0) return dueInMs;

  const causedBy = entry.updatedByPeerId;
  const watchers = (await listStateWatchers(tx, sessionId, key)).map((watcher) => watcher.peerId);
  const reaches = watchers.filter((each) => each !== causedBy);
  // The change was made while the session was open, so it is announced even if the session has been concluded
  // since.
  const row = toSystemRow(sessionId, toStateEvent(entry), { causedBy, reaches, afterClosing: true });
  const outcome = await appendInTransaction(tx, row);
  if (outcome.outcome !== "posted")
    throw new TypeError(`Appending a state event returned ${outcome.outcome}.`);
  await markStateAnnounced(tx, sessionId, key, { version: entry.version, at: outcome.postedAt });
  return toStoredMessage(row, outcome);
}
