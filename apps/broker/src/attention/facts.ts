import {
  type FactScope,
  listBlockedPeers,
  listFailedJobs,
  listHeldSessions,
  listOpenAsks,
  listOpenProposals,
  listSpentSessions,
  type SessionFact,
} from "@merkle/db";
import { type AttentionItem, limits } from "@merkle/wire";
import type { Services } from "../context.js";
import { describeFailure } from "../jobs/describe-failure.js";
import { findQuietSessions } from "./quiet-sessions.js";

/** Something that waits for a human, as it is; who has put it away is another matter. */
export interface Fact extends Omit<SessionFact, "since"> {
  /** Names the fact: the same happening again is another one (ATT-2). */
  readonly id: string;
  readonly kind: AttentionItem["kind"];
  readonly since: Date;
  /** Of an ask; what it says is read for those alone that are shown. */
  readonly sequence: number | null;
  /** Of a proposal or a job. */
  readonly number: number | null;
  readonly team: string | null;
  readonly peer: string | null;
  readonly text: string;
}

export type FactServices = Pick<Services, "database" | "presence" | "settings">;

export interface WantedFacts {
  /** Leaves out asks that are addressed to other people alone. */
  readonly personId: string | null;
  /** All open sessions unless told. */
  readonly sessionIds?: readonly string[] | undefined;
}

/** Everything that waits for a human, by kind and then by age; at most `attentionCountedMax` of a kind (ATT-1). */
export async function readFacts(
  services: FactServices,
  { personId, sessionIds }: WantedFacts,
): Promise<Fact[]> {
  const { orm, meshId } = services.database;
  const scope: FactScope = { meshId, sessionIds, limit: limits.attentionCountedMax };
  const [asks, proposals, failed, blocked, held, spent, quiet] = await Promise.all([
    listOpenAsks(orm, scope, personId),
    listOpenProposals(orm, scope),
    listFailedJobs(orm, scope),
    listBlockedPeers(orm, scope),
    listHeldSessions(orm, scope),
    listSpentSessions(orm, scope),
    findQuietSessions(services, scope),
  ]);
  return [
    ...asks.map((ask) => toFact("ask", ask, ask.sequence, ask)),
    ...proposals.map((each) =>
      toFact("proposal", each, each.number, {
        number: each.number,
        team: each.proposedBy,
        text: `+${each.added} \u2212${each.removed} to the ${each.proposalKind === "conclusion" ? "Conclusion" : "document"}`,
      }),
    ),
    ...failed.map((each) =>
      toFact("job_failed", each, each.number, {
        number: each.number,
        text: `${each.jobKind}: ${describeFailure({ ...each, kind: each.jobKind }) ?? ""}`,
      }),
    ),
    ...blocked.map((each) =>
      toFact("blocked", each, `${each.peerId}:${each.since.getTime()}`, { ...each, text: each.reason }),
    ),
    ...held.map((each) =>
      toFact("held", each, each.since.getTime(), { team: each.heldBy, text: each.reason }),
    ),
    ...spent.map((each) => toFact("budget_spent", each, each.agentMessages)),
    ...quiet.map((each) => toFact("quiet", each, each.since.getTime())),
  ];
}

/** @param what - tells it from the other facts of this kind in its session */
function toFact(
  kind: Fact["kind"],
  { sessionId, slug, title, since }: SessionFact,
  what: string | number,
  told: Partial<Pick<Fact, "sequence" | "number" | "team" | "peer" | "text">> = {},
): Fact {
  const { sequence = null, number = null, team = null, peer = null, text = "" } = told;
  return {
    id: `${kind}:${sessionId}:${what}`,
    kind,
    sessionId,
    slug,
    title,
    since,
    sequence,
    number,
    team,
    peer,
    text,
  };
}

/** The session that an item's id names, null when it is no id of ours. */
export function sessionOfItem(id: string): string | null {
  return itemId.exec(id)?.[1] ?? null;
}

const itemId = /^[a-z_]+:([0-9a-f-]{36}):[0-9a-f:-]+$/;
