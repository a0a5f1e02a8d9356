import {
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
import { limits } from "@merkle/wire/limits";
import { computeUnansweredCutoff } from "../../feed/unanswered.js";
import { quotaKinds } from "../../identity/limits/quotas.js";
import { type AttentionFact, toFact } from "../fact.js";
import type { AttentionSource, FactRequest } from "../hooks.js";
import type { ViewServices } from "../services.js";

export type FactServices = Pick<ViewServices, "database" | "presence" | "quotas" | "settings" | "nodes"> & {
  readonly hooks: Pick<ViewServices["hooks"], "attention">;
};

/**
 * Returns everything that is waiting for a human, ordered by kind and then by age, with at most
 * `attentionCountedMax` items of each kind (ATT-1).
 */
export async function readFacts(services: FactServices, request: FactRequest): Promise<AttentionFact[]> {
  const { orm, meshId } = services.database;
  const { personId, sessionIds, files = sessionIds === undefined } = request;
  const scope: FactScope = { meshId, sessionIds, includesFiles: files, limit: limits.attentionCountedMax };
  const unansweredBefore = computeUnansweredCutoff(services);
  const [ofFeatures, asks, blocked, held, spent, near, quiet, undelivered] = await Promise.all([
    Promise.all(services.hooks.attention.map((source) => readFactGroup(services, source, scope, request))),
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
  const groups: readonly FactGroup[] = [
    ...ofFeatures,
    { kind: "ask", facts: asks.map((ask) => toFact("ask", ask, ask.sequence, ask)) },
    {
      kind: "blocked",
      facts: blocked.map((each) =>
        toFact("blocked", each, `${each.peerId}:${each.since.getTime()}`, { ...each, text: each.reason }),
      ),
    },
    {
      kind: "held",
      facts: held.map((each) =>
        toFact("held", each, each.since.getTime(), { team: each.heldBy, text: each.reason }),
      ),
    },
    {
      kind: "budget_spent",
      facts: spent.filter(isNotHeld).map((each) => toFact("budget_spent", each, each.agentMessages)),
    },
    {
      kind: "budget_near",
      facts: near
        .filter(isNotHeld)
        .map((each) => toFact("budget_near", each, each.since.getTime(), { text: each.text })),
    },
    {
      kind: "quiet",
      facts: quiet.filter(isNotHeld).map((each) => toFact("quiet", each, each.since.getTime())),
    },
    {
      kind: "undelivered",
      facts: undelivered.map((each) =>
        toFact("undelivered", each, each.sequence, { sequence: each.sequence, number: each.count }),
      ),
    },
    { kind: "quota_near", facts: files ? findNearQuotas(services) : [] },
  ];
  return groups
    .toSorted((a, b) => kindsInOrder.indexOf(a.kind) - kindsInOrder.indexOf(b.kind))
    .flatMap(({ kind, facts }) =>
      decisionKinds.has(kind) ? facts.map((each) => markUnanswered(each, unansweredBefore)) : facts,
    );
}

/** The groups of facts that wait for a person's decision. Asks are marked by the query, which knows of replies. */
const decisionKinds: ReadonlySet<AttentionItem["kind"]> = new Set(["approval", "proposal", "in_review"]);

function markUnanswered(fact: AttentionFact, before: Date): AttentionFact {
  // The group of tasks in review also contains returned tasks, which ask nothing.
  return { ...fact, unanswered: decisionKinds.has(fact.kind) && fact.since < before };
}

interface FactGroup {
  /** The kind that determines the position of the group in the list. */
  readonly kind: AttentionItem["kind"];
  readonly facts: readonly AttentionFact[];
}

/** All kinds in order of urgency. Kinds that block an agent come first. */
const kindsInOrder: readonly AttentionItem["kind"][] = [
  "approval",
  "ask",
  "proposal",
  "job_failed",
  "in_review",
  "blocked",
  "held",
  "budget_spent",
  "budget_near",
  "quiet",
  "undelivered",
  "quota_near",
];

async function readFactGroup(
  services: FactServices,
  { kinds: [kind], list }: AttentionSource,
  scope: FactScope,
  request: FactRequest,
): Promise<FactGroup> {
  return { kind, facts: await list(services, scope, request) };
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
