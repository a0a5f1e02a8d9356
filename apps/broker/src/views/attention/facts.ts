import {
  type FactScope,
  type FileFact,
  listApprovalFacts,
  listBlockedPeers,
  listFailedJobs,
  listHeldSessions,
  listNearSessions,
  listOpenAsks,
  listOpenProposals,
  listSilentSessions,
  listSpentSessions,
  listTaskFacts,
  listUndeliveredFacts,
  type MeshFact,
  type ProposalFact,
  type SessionFact,
  type SourceFact,
} from "@merkle/db";
import type { AttentionItem } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { kindsOfQuota } from "../../identity/limits/quotas.js";
import { describeFailure } from "../../work/jobs/outcome.js";
import type { ViewServices } from "../services.js";

/** Something that waits for a human, as it is; who has put it away is another matter. */
export type Fact =
  | (SessionFact & Told<Exclude<AttentionItem["kind"], "quota_near">>)
  // A file has nobody in it who could ask, be blocked or be held.
  | (FileFact & Told<Extract<AttentionItem, { source_path: string }>["kind"]>)
  | (MeshFact & Told<"quota_near">);

interface Told<Kind> {
  /** Names the fact: the same happening again is another one (ATT-2). */
  readonly id: string;
  readonly kind: Kind;
  /** The message of an ask, whose text is read for those alone that are shown; or the first that nobody has got. */
  readonly sequence: number | null;
  /** The number of an approval, a proposal, a job or a task; or how many messages nobody has got. */
  readonly number: number | null;
  readonly team: string | null;
  readonly peer: string | null;
  readonly text: string;
}

export type FactServices = Pick<ViewServices, "database" | "presence" | "quotas" | "settings" | "nodes">;

interface WantedFacts {
  /** Leaves out asks that are addressed to other people alone. */
  readonly personId: string | null;
  /** Permissions that agents wait for: none unless told, since they are for one person alone; `own`, the person's. */
  readonly approvals?: "own" | "everybody's";
  /** All open sessions unless told. */
  readonly sessionIds?: readonly string[] | undefined;
  /** Whether what waits of files is wanted, too; where no sessions are named it is unless told. */
  readonly files?: boolean;
}

/** Everything that waits for a human, by kind and then by age; at most `attentionCountedMax` of a kind (ATT-1). */
export async function readFacts(
  services: FactServices,
  { personId, approvals, sessionIds, files = sessionIds === undefined }: WantedFacts,
): Promise<Fact[]> {
  const { orm, meshId } = services.database;
  const scope: FactScope = { meshId, sessionIds, files, limit: limits.attentionCountedMax };
  const everybodys = approvals === "everybody's";
  const [permissions, asks, proposals, failed, ofTasks, blocked, held, spent, near, quiet, undelivered] =
    await Promise.all([
      approvals === undefined || (personId === null && !everybodys)
        ? []
        : listApprovalFacts(orm, scope, everybodys ? undefined : (personId ?? undefined)),
      listOpenAsks(orm, scope, personId),
      listOpenProposals(orm, scope),
      listFailedJobs(orm, scope),
      listTaskFacts(orm, scope),
      listBlockedPeers(orm, scope),
      listHeldSessions(orm, scope),
      listSpentSessions(orm, scope),
      listNearSessions(orm, scope),
      findQuietSessions(services, scope),
      listUndeliveredFacts(orm, scope, undeliveredBefore(services)),
    ]);
  // A held session is one thing to decide about: that its agents are silent, or have used up what they may, follows from it or can wait.
  const heldIds = new Set(held.map(({ sessionId }) => sessionId));
  const isNotHeld = ({ sessionId }: SessionFact) => !heldIds.has(sessionId);
  return [
    ...permissions.map((each) =>
      toFact("approval", each, each.number, { number: each.number, team: each.askedBy, text: each.tool }),
    ),
    ...asks.map((ask) => toFact("ask", ask, ask.sequence, ask)),
    ...proposals.map((each) =>
      toFact("proposal", each, each.number, {
        number: each.number,
        team: each.proposedBy,
        text: `+${each.added} \u2212${each.removed} to the ${changedBy(each)}`,
      }),
    ),
    ...failed.map((each) =>
      toFact("job_failed", each, each.number, {
        number: each.number,
        text: `${each.jobKind}: ${describeFailure({ ...each, kind: each.jobKind }) ?? ""}`,
      }),
    ),
    ...ofTasks.map((each) =>
      toFact(each.kind, each, `${each.number ?? "c"}:${each.claim}`, {
        number: each.number,
        team: each.holder === "" ? null : each.holder,
        text: each.text,
      }),
    ),
    ...blocked.map((each) =>
      toFact("blocked", each, `${each.peerId}:${each.since.getTime()}`, { ...each, text: each.reason }),
    ),
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
}

/** Quotas of the mesh of which four fifths are used (ATT-14); a bound that was changed is another fact. */
function findNearQuotas({ database, quotas }: FactServices): Fact[] {
  const ofMesh = { sessionId: null, slug: null, title: null, sourcePath: null };
  return quotas.listNear(database.meshId).map(({ kind, max, used, since }) => {
    const text = `${used.toLocaleString("en")} of ${max.toLocaleString("en")} ${kind}`;
    return toFact("quota_near", { ...ofMesh, since }, `${kindsOfQuota.indexOf(kind)}:${max}`, { text });
  });
}

/** Messages that nobody has got and that are older wait for a human (ATT-12). */
export function undeliveredBefore(
  { settings }: Pick<FactServices, "settings">,
  forSeconds = settings.current.undelivered_after_s,
): Date {
  return new Date(Date.now() - forSeconds * 1000);
}

function changedBy({ proposalKind, sourcePath }: ProposalFact): string {
  if (sourcePath !== null) return "file";
  return proposalKind === "conclusion" ? "Conclusion" : "document";
}

/** @param what - tells it from the other facts of this kind in its session, or of all files */
function toFact<Kind extends Fact["kind"], Source extends SourceFact | MeshFact>(
  kind: Kind,
  source: Source,
  what: string | number,
  told: Partial<Omit<Told<Kind>, "id" | "kind">> = {},
): Source & Told<Kind> {
  const { sequence = null, number = null, team = null, peer = null, text = "" } = told;
  const id = `${kind}:${source.sessionId ?? "file"}:${what}`;
  return { ...source, id, kind, sequence, number, team, peer, text };
}

/** The session that an item's id names, null when it names a file's or is no id of ours. */
export function sessionOfItem(id: string): string | null {
  return itemId.exec(id)?.[1] ?? null;
}

const itemId = /^[a-z_]+:([0-9a-f-]{36}):[0-9a-f:-]+$/;

/**
 * Open sessions that nobody has polled or spoken in for `quiet_after_s`, and in which nobody waits for messages now
 * (ATT-6). What is saved of polls is a little old, so what this broker has seen itself counts before it.
 */
async function findQuietSessions(
  { database, presence, settings, nodes }: FactServices,
  scope: FactScope,
): Promise<SessionFact[]> {
  const before = Date.now() - settings.current.quiet_after_s * 1000;
  const silent = await listSilentSessions(database.orm, scope, new Date(before), nodes.others);
  const polls = presence.polls();
  return silent.flatMap((session) => {
    const polledAt = polls.get(session.sessionId) ?? 0;
    if (polledAt >= before) return [];
    return [{ ...session, since: new Date(Math.max(session.since.getTime(), polledAt)) }];
  });
}

/** Returns which of some sessions are quiet, with the time since when. */
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
