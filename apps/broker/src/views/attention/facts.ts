import {
  type AskFact,
  type BlockedFact,
  type FactScope,
  listBlockedPeers,
  listBudgetNearSessions,
  listBudgetSpentSessions,
  listHeldSessions,
  listOpenAsks,
  listSilentSessions,
  listUndeliveredFacts,
  type SessionFact,
} from "@merkle/db";
import type { AttentionItem } from "@merkle/wire";
import { isQuestion } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { AttentionKind } from "@merkle/wire/schemas";
import { computeUnansweredCutoff } from "../../feed/unanswered.js";
import { quotaKinds } from "../../identity/limits/quotas.js";
import { type AttentionFact, toFact } from "../fact.js";
import type { FactRequest } from "../hooks.js";
import type { ViewServices } from "../services.js";

export type FactServices = Pick<ViewServices, "database" | "presence" | "quotas" | "settings" | "nodes"> & {
  readonly hooks: Pick<ViewServices["hooks"], "attention">;
};

/**
 * Returns everything that is waiting for a human, ordered by urgency of its kind and then by age, with at most
 * `attentionCountedMax` items of each kind (ATT-1).
 */
export async function readFacts(services: FactServices, request: FactRequest): Promise<AttentionFact[]> {
  const { orm, meshId } = services.database;
  const { personId, sessionIds, files = sessionIds === undefined } = request;
  const scope: FactScope = { meshId, sessionIds, includesFiles: files, limit: limits.attentionCountedMax };
  const unansweredBefore = computeUnansweredCutoff(services);
  const [ofFeatures, asks, blocked, held, spent, near, quiet, undelivered] = await Promise.all([
    Promise.all(services.hooks.attention.map(({ list }) => list(services, scope, request))),
    listOpenAsks(orm, scope, { personId, unansweredBefore }),
    listBlockedPeers(orm, scope),
    listHeldSessions(orm, scope),
    listBudgetSpentSessions(orm, scope),
    listBudgetNearSessions(orm, scope),
    findQuietSessions(services, scope),
    listUndeliveredFacts(orm, scope, computeUndeliveredCutoff(services)),
  ]);
  // A session on hold needs only one decision. If it is also quiet or over budget, that either follows from the
  // hold or can wait.
  const heldIds = new Set(held.map(({ sessionId }) => sessionId));
  const isNotHeld = ({ sessionId }: SessionFact) => !heldIds.has(sessionId);
  const questions = findQuestions(blocked, asks);
  const joined = new Set(questions.values());
  const facts: readonly AttentionFact[] = [
    ...ofFeatures.flat(),
    ...asks
      .filter((ask) => !joined.has(ask))
      .map((ask) => toFact("ask", ask, ask.sequence, { ...ask, needsPerson: ask.toHumans })),
    ...blocked.map((each) => {
      const { sequence = null, unanswered = false } = questions.get(each.peerId) ?? {};
      const details = { ...each, text: each.reason, sequence, unanswered };
      return toFact("blocked", each, `${each.peerId}:${each.since.getTime()}`, details);
    }),
    ...held.map((each) =>
      toFact("held", each, each.since.getTime(), { team: each.heldBy, text: each.reason }),
    ),
    ...spent.filter(isNotHeld).map((each) => toFact("budget_spent", each, each.agentMessages)),
    ...near
      .filter(isNotHeld)
      .map((each) => toFact("budget_near", each, each.since.getTime(), { text: each.text })),
    ...quiet.filter(isNotHeld).map((each) => toFact("quiet", each, each.since.getTime())),
    ...undelivered.map((each) =>
      toFact("undelivered", each, each.sequence, { sequence: each.sequence, number: each.count }),
    ),
    ...(files ? findNearQuotas(services) : []),
  ];
  // The sort is stable: within a kind, facts keep the order in which they were read, oldest first.
  return facts
    .map((fact) =>
      decisionKinds.has(fact.kind) ? { ...fact, unanswered: fact.since < unansweredBefore } : fact,
    )
    .sort((a, b) => rankOf(a) - rankOf(b));
}

/** Returns the newest open ask to people of each blocked peer: answering it is what unblocks the peer (ATT-4). */
function findQuestions(
  blocked: readonly BlockedFact[],
  asks: readonly AskFact[],
): ReadonlyMap<string, AskFact> {
  const peerIds = new Set(blocked.map(({ peerId }) => peerId));
  return new Map(
    asks.flatMap((ask) =>
      ask.peerId !== null && ask.toHumans && peerIds.has(ask.peerId) ? [[ask.peerId, ask]] : [],
    ),
  );
}

/** Returns the ids of the facts, and of the asks that are part of a blocked peer's fact. */
export function listFactIds(facts: readonly AttentionFact[]): string[] {
  return facts.flatMap((fact) =>
    fact.kind === "blocked" && isQuestion(fact)
      ? [fact.id, `ask:${fact.sessionId}:${fact.sequence}`]
      : [fact.id],
  );
}

/** The kinds that wait for a person's decision. Asks are marked by the query, which knows of replies. */
const decisionKinds: ReadonlySet<AttentionItem["kind"]> = new Set(["approval", "proposal", "in_review"]);

const ranks = new Map(AttentionKind.options.map((kind, rank) => [kind, rank]));

function rankOf({ kind }: AttentionFact): number {
  return ranks.get(kind) ?? ranks.size;
}

/** Returns the mesh's quotas that are at least 80 % used (ATT-14). A changed limit counts as a new fact. */
function findNearQuotas({ database, quotas }: FactServices): AttentionFact[] {
  const ofMesh = { sessionId: null, slug: null, title: null, sourcePath: null };
  return quotas.listNear(database.meshId).map(({ kind, max, used, since }) => {
    const text = `${used.toLocaleString("en")} of ${max.toLocaleString("en")} ${kind}`;
    return toFact("quota_near", { ...ofMesh, since }, `${quotaKinds.indexOf(kind)}:${max}`, { text });
  });
}

/**
 * Returns the time before which an undelivered message must have been posted to need a human's attention
 * (ATT-12).
 */
export function computeUndeliveredCutoff(
  { settings }: Pick<FactServices, "settings">,
  forSeconds = settings.current.undelivered_after_s,
): Date {
  return new Date(Date.now() - forSeconds * 1000);
}

/** Returns the session in an item's id. Null if the item is about a file or the id is invalid. */
export function findSessionOfItem(id: string): string | null {
  return itemId.exec(id)?.[1] ?? null;
}

const itemId = /^[a-z_]+:([0-9a-f-]{36}):[0-9a-f:-]+$/;

/**
 * Returns open sessions that have had no polls or messages for `quiet_after_s` and have no parked waits
 * (ATT-6). Saved polls are slightly outdated, so polls in this node's memory are used as well.
 */
async function findQuietSessions(
  { database, presence, settings, nodes }: FactServices,
  scope: FactScope,
): Promise<SessionFact[]> {
  const before = Date.now() - settings.current.quiet_after_s * 1000;
  const silent = await listSilentSessions(database.orm, scope, new Date(before), nodes.others);
  const polls = presence.listLastPolls();
  return silent.flatMap((session) => {
    const polledAt = polls.get(session.sessionId) ?? 0;
    if (polledAt >= before) return [];
    return [{ ...session, since: new Date(Math.max(session.since.getTime(), polledAt)) }];
  });
}

/** Returns which of the given sessions are quiet, each with the start of its quiet time. */
export async function readQuietSince(
  services: FactServices,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  if (sessionIds.length === 0) return new Map();
  const scope = {
    meshId: services.database.meshId,
    sessionIds,
    includesFiles: false,
    limit: limits.attentionCountedMax,
  };
  const quiet = await findQuietSessions(services, scope);
  return new Map(quiet.map(({ sessionId, since }) => [sessionId, since]));
}
