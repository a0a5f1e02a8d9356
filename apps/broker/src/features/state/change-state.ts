import {
  insertStateEntry,
  keepSessionOpen,
  type LockedStateEntry,
  listStateWatchers,
  lockAndCountStateKeys,
  lockStateEntry,
  markStateAnnounced,
  type StateChange,
  saveStateChange,
  type Transaction,
} from "@merkle/db";
import {
  MerkleError,
  type OutputOf,
  type ParsedInputOf,
  type StateEntry,
  type StateScope,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { toCanonicalJson } from "@merkle/wire/record";
import type { Write } from "../../core/write.js";
import { sessionClosed } from "../../sessions/access/authorize.js";
import type { TeamContext } from "../../sessions/context.js";
import { formatAuthorName } from "../../sessions/roster/author.js";
import { toStateEntry } from "../../sessions/state-entry.js";
import type { StateServices } from "./services.js";
import {
  computeMsUntilDue,
  noSuchKey,
  toAnnouncedEntry,
  toScopeId,
  toStateChange,
  toStateEvent,
} from "./state-entry.js";

/**
 * Sets a key and notifies its watchers. Setting the current value again changes nothing (STATE-4). If several
 * callers pass the same `expected_version`, exactly one succeeds (STATE-5).
 *
 * @throws conflict, with the current value, so that the caller can retry without reading it first
 */
export async function setState(
  ctx: TeamContext<StateServices>,
  input: ParsedInputOf<"set_state">,
): Promise<OutputOf<"set_state">> {
  const { entry, ...rest } = await changeState(ctx, input, toCanonicalJson(input.value));
  return { ...entry, ...rest };
}

/**
 * Deletes a key's value and notifies its watchers. If the key is set again later, its version numbers
 * continue (STATE-2). Deleting the key again changes nothing.
 *
 * @throws not_found if the key was never set; conflict if its version is not the expected one
 */
export async function deleteState(
  ctx: TeamContext<StateServices>,
  input: ParsedInputOf<"delete_state">,
): Promise<OutputOf<"delete_state">> {
  const { entry, changed } = await changeState(ctx, input, null);
  return { key: entry.key, version: entry.version, changed };
}

interface ChangedState {
  readonly entry: StateEntry;
  /** The key's previous entry, or null if the key was never set. */
  readonly previous: StateEntry | null;
  readonly changed: boolean;
  /** Number of other peers that watch the key. */
  readonly watchers: number;
}

interface StateTarget {
  readonly key: string;
  readonly scope: StateScope;
  readonly expected_version?: number | undefined;
}

/**
 * Writes a key's next version. Writes to the same key run one after another, and all fail after a conclusion.
 *
 * @param value - canonical JSON, or null to delete the key
 */
async function changeState(
  ctx: TeamContext<StateServices>,
  address: StateTarget,
  value: string | null,
): Promise<ChangedState> {
  const { key, scope } = address;
  const { sessionId } = ctx.session;
  const { peerId } = ctx.team.peer;
  const scopeId = toScopeId(ctx, scope);

  return ctx.write(async (write) => {
    const { tx } = write;
    const current = await lockForChange(ctx, tx, address, value);
    const previous = current.version === 0 ? null : toStateEntry(current);
    // Read after locking the key: while this call waits for the lock, another peer may start to watch the
    // key.
    const watchers = (await listStateWatchers(tx, scopeId, key))
      .map((watcher) => watcher.peerId)
      .filter((each) => each !== peerId);
    if (previous && current.value === value) {
      return { entry: previous, previous, changed: false, watchers: watchers.length };
    }
    const change: StateChange = {
      scopeId,
      key,
      version: current.version + 1,
      value,
      updatedBy: formatAuthorName(ctx.team),
      updatedByPeerId: peerId,
      updatedAt: current.now,
      keep: limits.stateHistoryMax,
    };
    write.afterCommit(() =>
      ctx.services.channels.announceState(
        ctx.services.database.meshId,
        toStateChange(scope === "mesh" ? null : sessionId, change),
      ),
    );
    await Promise.all([
      saveStateChange(tx, change),
      scope === "session"
        ? announceInFeed(ctx, write, { current, change, watchers })
        : markStateAnnounced(tx, scopeId, key, { version: change.version, at: current.now }),
    ]);
    return { entry: toStateEntry(change), previous, changed: true, watchers: watchers.length };
  });
}

/**
 * Locks a key in order to change it.
 *
 * @throws session_closed before not_found and conflict, in the order of ERR-2
 */
async function lockForChange(
  ctx: TeamContext<StateServices>,
  tx: Transaction,
  address: StateTarget,
  value: string | null,
): Promise<LockedStateEntry> {
  const { key, scope, expected_version } = address;
  const [existing, isOpen] = await Promise.all([
    lockStateEntry(tx, toScopeId(ctx, scope), key),
    keepSessionOpen(tx, ctx.session.sessionId),
  ]);
  if (!isOpen) throw sessionClosed(ctx.session);
  if (!existing && value === null) throw noSuchKey(key, scope);
  const exists = existing && (existing.value !== null || value === null);
  const current = exists ? existing : await addKey(ctx, tx, address);
  if (expected_version !== undefined) refuseOtherVersion(current, expected_version);
  return current;
}

/**
 * Posts at most one event per second for each key. A change that comes sooner is announced later, with the
 * key's value at that time (STATE-7).
 */
async function announceInFeed(
  { services, session, team }: TeamContext<StateServices>,
  { tx, announce, afterCommit }: Write,
  update: { current: LockedStateEntry; change: StateChange; watchers: readonly string[] },
): Promise<void> {
  const { sessionId } = session;
  const { key, version } = update.change;
  const dueInMs = computeMsUntilDue(update.current);
  if (dueInMs > 0) {
    afterCommit(() => services.stateAnnouncer.announceLater(sessionId, key, dueInMs));
    return;
  }
  const { postedAt } = await announce(sessionId, toStateEvent(update.change), {
    causedBy: team.peer.peerId,
    reaches: update.watchers,
  });
  await markStateAnnounced(tx, sessionId, key, { version, at: postedAt });
}

/**
 * Locks a key that has no value yet, and checks that the scope may have another key. Additions to one scope
 * run one after another, so a concurrent caller may already have added the same key.
 */
async function addKey(
  ctx: TeamContext<StateServices>,
  tx: Transaction,
  { key, scope }: StateTarget,
): Promise<LockedStateEntry> {
  const scopeId = toScopeId(ctx, scope);
  const keys = await lockAndCountStateKeys(tx, scopeId);
  const by = { updatedBy: formatAuthorName(ctx.team), updatedByPeerId: ctx.team.peer.peerId };
  await insertStateEntry(tx, scopeId, key, by);
  const current = await lockStateEntry(tx, scopeId, key);
  if (!current) throw new TypeError("A key that was just added was not found.");
  if (current.value === null && keys >= limits.stateKeysPerScopeMax) throw tooManyKeys(scope);
  return current;
}

/**
 * Refuses a change that expects a different version. Expected version 0 means a key without a value, whether
 * deleted or never set.
 */
function refuseOtherVersion(current: LockedStateEntry, expected: number): void {
  const { key, version } = current;
  if (expected === version || (expected === 0 && current.value === null)) return;
  throw new MerkleError(
    "conflict",
    `The key "${key}" is at version ${version}, not ${expected}. Check its current value. If your change still makes sense, set it again based on version ${version}.`,
    { expected_version: expected, ...(version === 0 ? { version } : toAnnouncedEntry(current)) },
  );
}

function tooManyKeys(scope: StateScope): MerkleError {
  const max = limits.stateKeysPerScopeMax;
  return new MerkleError(
    "conflict",
    `The state of this ${scope} has ${max} keys, which is the limit. Delete keys that are no longer needed.`,
    { keys_max: max, next: "delete_state" },
  );
}
