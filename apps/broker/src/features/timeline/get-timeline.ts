import {
  type ChatCount,
  countChat,
  findSequenceAt,
  findSession,
  type LaneRow,
  listLanes,
  listMarks,
  type MarkRow,
  type Queryable,
} from "@merkle/db";
import { eventKinds, MerkleError, type OutputOf, type ParsedInputOf, type TimelineMark } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { groupBy } from "../../core/group-by.js";
import type { SessionContext } from "../../sessions/context.js";
import type { ViewServices } from "../../views/services.js";

type GetTimelineOutput = OutputOf<"get_timeline">;

/**
 * The kind of mark for each type of message that is marked. Document versions are missing, because they are
 * not messages.
 */
const markKinds: ReadonlyMap<string, TimelineMark["kind"]> = new Map([
  ["ask", "ask"],
  ["decision", "decision"],
  ...Object.entries(eventKinds).flatMap(([name, { mark }]) => (mark ? [[name, mark] as const] : [])),
]);

/** Counts each team's messages in equal time spans, and marks important events (TIME-1, TIME-2). */
export async function getTimeline(
  ctx: SessionContext<ViewServices>,
  input: ParsedInputOf<"get_timeline">,
): Promise<GetTimelineOutput> {
  return ctx.services.database.read((db) => readTimeline(ctx, db, input));
}

async function readTimeline(
  ctx: SessionContext<ViewServices>,
  db: Queryable,
  input: ParsedInputOf<"get_timeline">,
): Promise<GetTimelineOutput> {
  const { sessionId } = ctx.session;
  const { from, to } = await readSpan(ctx, db, input);
  // The extra millisecond includes a message posted exactly at `to`.
  const bucketMs = Math.max(1, Math.ceil((to.getTime() - from.getTime() + 1) / input.buckets));
  const [after, upTo] = await Promise.all([
    findSequenceAt(db, sessionId, new Date(from.getTime() - 1)),
    findSequenceAt(db, sessionId, to),
  ]);
  const range = { after, upTo };
  const [counts, { marks, total }] = await Promise.all([
    countChat(db, sessionId, range, { from, bucketMs }),
    listMarks(
      db,
      sessionId,
      { range, from, to },
      { kinds: [...markKinds.keys()], limit: limits.timelineMarksMax },
    ),
  ]);
  const countsByTeam = groupBy(counts, ({ teamId }) => teamId);
  const lanes = await listLanes(db, sessionId, [...countsByTeam.keys()]);
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    bucket_ms: bucketMs,
    lanes: lanes.map((lane) => toLane(lane, countsByTeam.get(lane.teamId) ?? [], input.buckets)),
    marks: marks.map(toMark),
    marks_left_out: Math.max(0, total - marks.length),
  };
}

/**
 * Returns the time span to show. By default, the span starts when the session was created, and ends now or
 * at the last message of a closed session.
 */
async function readSpan(
  { services, session }: SessionContext<ViewServices>,
  db: Queryable,
  input: Pick<ParsedInputOf<"get_timeline">, "from" | "to">,
): Promise<{ from: Date; to: Date }> {
  const row = await findSession(db, services.database.meshId, session.sessionId);
  if (!row) throw new MerkleError("not_found", `There is no session "${session.slug}".`);
  const from = input.from === undefined ? row.createdAt : new Date(input.from);
  const end = row.closedAt ? (row.lastPostedAt ?? row.closedAt) : new Date();
  const to = input.to === undefined ? end : new Date(input.to);
  if (from <= to) return { from, to };
  // If only the start or only the end was given, it may be beyond the default for the missing one. The span
  // is then empty.
  if (input.from === undefined || input.to === undefined) return { from, to: from };
  throw new MerkleError("bad_request", "The start (from) must not be later than the end (to).", {
    field: "from",
  });
}

function toLane(
  { teamId, name, kind, colour }: LaneRow,
  chatCounts: readonly ChatCount[],
  buckets: number,
): GetTimelineOutput["lanes"][number] {
  const counts = new Array<number>(buckets).fill(0);
  for (const { bucket, messages } of chatCounts) counts[bucket] = messages;
  return { team_id: teamId, team: name, kind, colour, counts };
}

function toMark({ kind, at, by, sequence, version }: MarkRow): TimelineMark {
  return {
    kind: kind === null ? "document" : (markKinds.get(kind) ?? "metadata"),
    at: at.toISOString(),
    by,
    sequence,
    version,
  };
}
