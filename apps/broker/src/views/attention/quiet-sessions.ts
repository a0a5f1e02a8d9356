import { type FactScope, listSilentSessions, type SessionFact } from "@merkle/db";
import { limits } from "@merkle/wire";
import type { FactServices } from "./facts.js";

/**
 * Open sessions that nobody has polled or spoken in for `quiet_after_s`, and in which nobody waits for messages now
 * (ATT-6). What is saved of polls is a little old, so what this broker has seen itself counts before it.
 */
export async function findQuietSessions(
  { database, presence, settings }: FactServices,
  scope: FactScope,
): Promise<SessionFact[]> {
  const before = Date.now() - settings.current.quiet_after_s * 1000;
  const silent = await listSilentSessions(database.orm, scope, new Date(before));
  const polls = presence.polls();
  return silent.flatMap((session) => {
    const polledAt = polls.get(session.sessionId) ?? 0;
    if (polledAt >= before) return [];
    return [{ ...session, since: new Date(Math.max(session.since.getTime(), polledAt)) }];
  });
}

/** Of some sessions those that are quiet, with the time since when. */
export async function readQuietSince(
  services: FactServices,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  if (sessionIds.length === 0) return new Map();
  const scope = {
    meshId: services.database.meshId,
    sessionIds,
    files: false,
    limit: limits.attentionCountedMax,
  };
  const quiet = await findQuietSessions(services, scope);
  return new Map(quiet.map(({ sessionId, since }) => [sessionId, since]));
}
