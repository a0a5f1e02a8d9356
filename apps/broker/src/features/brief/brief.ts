import {
  type BriefReader,
  type BriefSession,
  countSaid,
  findBriefSession,
  findDocumentVersion,
  findDocumentVersionAfter,
  findSequenceAt,
  listAnswersTo,
  listAsksFor,
  listJobsFailedAfter,
  listNewestOfKinds,
  listOpenRequests,
  listOwnAsks,
  listStateAfter,
  listUnansweredAsks,
  listUnreadSessions,
  type OpenRequest,
  readLastReads,
  type StoredMessage,
} from "@merkle/db";
import {
  type BriefLine,
  briefKinds,
  describeEvent,
  findMessageKind,
  formatBriefLine,
  type OutputOf,
  type ParsedInputOf,
  type SessionBrief,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { neutraliseTexts } from "@merkle/wire/text";
import { toMessage, withoutSealed } from "../../core/message.js";
import { computeUnansweredCutoff } from "../../feed/unanswered.js";
import { requireSession, type SessionIdentity } from "../../identity/session-directory.js";
import { sessionArchived } from "../../sessions/access/authorize.js";
import type { Context } from "../../sessions/context.js";
import { unifiedDiffTask } from "../../text/tasks.js";
import type { ViewServices } from "../../views/services.js";
import { describeFailure } from "../jobs/feature.js";
import type { Summariser } from "../progress/feature.js";

export interface BriefServices extends ViewServices {
  readonly summariser: Summariser;
}

/** Maximum number of entries of each kind that are read. A brief has no room for more. */
const perKindMax = 40;
/** Maximum number of the reader's own open asks in a brief, and of each kind of open request. */
const ownAsksMax = 10;
const textCharsMax = 300;
const diffCharsMax = 600;
/** Number of characters reserved for a session's heading and for the note about omitted lines. */
const headingCharsMax = 160;

/** The part of a session's feed to cover in a brief. */
interface BriefSpan extends BriefSession {
  readonly after: number;
}

/**
 * Reports news for the caller in one session, or in all sessions that the caller reads. Depends only on
 * stored data, so repeated calls return the same result (BRIEF-1).
 */
export async function createBrief(
  ctx: Context<BriefServices>,
  input: ParsedInputOf<"brief">,
): Promise<OutputOf<"brief">> {
  const spans = await chooseSpans(ctx, input);
  const spanLines = await Promise.all(
    spans.map(async (span) => ({
      span,
      lines: await readLines(ctx, span, toBriefReader(ctx, span.sessionId)),
    })),
  );
  const sessions = selectFittingLines(spanLines);
  return input.summary ? { sessions, summary: await summarise(ctx, sessions) } : { sessions };
}

/** Asks a model to summarise the lines. The brief shows this summary in addition to its lines (BRIEF-7). */
function summarise({ services }: Context<BriefServices>, sessions: readonly SessionBrief[]) {
  const texts = sessions.flatMap(({ title, lines }) =>
    lines.length === 0 ? [] : [`In ${title}:`, ...lines.map((line) => formatBriefLine(line))],
  );
  return texts.length === 0 ? null : services.summariser.summariseBrief(texts.join("\n"));
}

/**
 * Chooses the part of each feed to report. It starts where the caller last read, or at the requested time or
 * message (BRIEF-2).
 */
async function chooseSpans(
  ctx: Context<BriefServices>,
  { session, since, since_cursor }: ParsedInputOf<"brief">,
): Promise<BriefSpan[]> {
  const { orm, meshId } = ctx.services.database;
  const ref = session ?? ctx.team?.peer.sessionId;
  const sessionId = ref === undefined ? undefined : (await requireUnarchived(ctx.services, ref)).sessionId;
  const spans = sessionId === undefined ? await listOwnUnread(ctx) : await findSpan(ctx, sessionId);
  if (since_cursor !== undefined) return spans.map((span) => ({ ...span, after: since_cursor }));
  if (since === undefined) return spans;
  const justBefore = new Date(Date.parse(since) - 1);
  return Promise.all(
    spans.map(async (span) => ({ ...span, after: await findSequenceAt(orm, span.sessionId, justBefore) })),
  );

  async function findSpan({ person, team }: Context<BriefServices>, id: string): Promise<BriefSpan[]> {
    const [row, reads] = await Promise.all([
      findBriefSession(orm, id),
      person ? readLastReads(orm, meshId, person.personId, [id]) : undefined,
    ]);
    const after = reads?.get(id) ?? (team?.peer.sessionId === id ? team.peer.cursors.acked : 0);
    return row ? [{ ...row, after }] : [];
  }
}

/** @throws session_archived if the session's feed has been moved to the archive */
async function requireUnarchived(services: BriefServices, ref: string): Promise<SessionIdentity> {
  const session = await requireSession(services, ref);
  if (session.isArchived) throw sessionArchived(session);
  return session;
}

/**
 * Lists the sessions with messages that the person has not read. Returns none if the caller is not a person.
 */
async function listOwnUnread({ services, person }: Context<BriefServices>): Promise<BriefSpan[]> {
  if (!person) return [];
  const { orm, meshId } = services.database;
  const rows = await listUnreadSessions(orm, { meshId, personId: person.personId }, limits.briefSessionsMax);
  return rows.map(({ lastRead, ...row }) => ({ ...row, after: lastRead }));
}

function toBriefReader({ person, team }: Context<BriefServices>, sessionId: string): BriefReader {
  const own = team?.peer.sessionId === sessionId ? team : null;
  return {
    teamId: own?.teamId ?? null,
    peerId: own?.peer.peerId ?? null,
    personId: person?.personId ?? null,
  };
}

/** The kind of line for each event. Asks and answers are missing because their kind depends on the reader. */
const lineKinds: Readonly<Record<string, BriefLine["kind"]>> = {
  decision: "decision",
  session_concluded: "concluded",
  session_held: "held",
  session_resumed: "held",
  budget_spent: "held",
  proposal_decided: "topic",
  topic_opened: "topic",
  topic_closed: "topic",
  topic_reopened: "topic",
  task_changed: "task",
  session_metadata_updated: "settings",
  settings_changed: "settings",
  message_redacted: "settings",
};

/**
 * Reads the lines about everything that is new to a reader in part of a feed, the most important lines first.
 */
async function readLines(
  { services }: Context<BriefServices>,
  span: BriefSpan,
  reader: BriefReader,
): Promise<BriefLine[]> {
  const { orm, meshId } = services.database;
  const { sessionId } = span;
  const range = { after: span.after, upTo: span.lastSequence };
  const unansweredBefore = computeUnansweredCutoff(services);
  const [asks, answers, ownAsks, requests, marked, moves, chatCounts, changes, state, failed] =
    await Promise.all([
      listAsksFor(orm, sessionId, reader, { upTo: range.upTo, limit: perKindMax }),
      listAnswersTo(orm, sessionId, reader, range, perKindMax),
      listOwnAsks(orm, sessionId, reader, { upTo: range.upTo, limit: ownAsksMax }),
      listOpenRequests(orm, sessionId, reader, { unansweredBefore, limit: ownAsksMax }),
      listNewestOfKinds(orm, sessionId, range, { kinds: Object.keys(lineKinds), limit: perKindMax }),
      listNewestOfKinds(orm, sessionId, range, { kinds: ["team_joined", "team_left"], limit: perKindMax }),
      countSaid(orm, sessionId, reader, range),
      readDocumentLine(services, span),
      listStateAfter(orm, sessionId, { after: span.after, peerId: reader.peerId, limit: perKindMax }),
      listJobsFailedAfter(orm, { meshId, sessionId }, { after: span.after, limit: perKindMax }),
    ]);
  const unanswered = await listUnansweredAsks(
    orm,
    sessionId,
    [...asks, ...ownAsks].map(({ sequence }) => sequence),
    unansweredBefore,
  );
  const lines = [
    ...asks.map((each) => ({ ...toLine("ask", each), unanswered: unanswered.has(each.sequence) })),
    ...answers.map((each) => toLine("answer", each)),
    ...ownAsks.map((each) => ({ ...toOwnAskLine(each), unanswered: unanswered.has(each.sequence) })),
    ...requests.map(toRequestLine),
    ...keepNewestPerTask(marked).map((each) =>
      toLine(lineKinds[findMessageKind(toMessage(each)) ?? ""] ?? "settings", each),
    ),
    ...changes,
    ...state.map(toStateLine),
    ...failed.map(toFailedLine),
    ...toPeopleLine(moves),
    ...toTalkLine(chatCounts),
  ];
  const rank = (line: BriefLine) => briefKinds.indexOf(line.kind);
  return lines.sort(
    (a, b) => rank(a) - rank(b) || b.at.localeCompare(a.at) || (b.sequence ?? 0) - (a.sequence ?? 0),
  );
}

/** Keeps one line for each task: its latest change. */
function keepNewestPerTask(marked: readonly StoredMessage[]): readonly StoredMessage[] {
  const newest = new Map(marked.map((each) => [findTaskNumber(each) ?? each, each]));
  return [...newest.values()];
}

function findTaskNumber(stored: StoredMessage): number | undefined {
  const { event, task } = toMessage(stored).content;
  return event === "task_changed" ? Number(task) : undefined;
}

function toLine(kind: BriefLine["kind"], stored: StoredMessage): BriefLine {
  const { content, posted_at: at } = withoutSealed(toMessage(stored));
  const { text, answer, options, by } = content;
  const isChat = stored.type === "chat";
  const body = isChat
    ? (answer ?? text ?? "")
    : kind === "task"
      ? describeTask(content)
      : describeInBrief(content);
  const isAsk = kind === "ask" || kind === "own_ask";
  const choices = isAsk && Array.isArray(options) ? ` (${options.join(" | ")})` : "";
  return {
    kind,
    sequence: stored.sequence,
    version: null,
    ...(kind === "task" && { task: findTaskNumber(stored) }),
    at,
    by: isChat ? formatAuthor(stored) : typeof by === "string" ? by : null,
    text: cut(`${body}${choices}`, textCharsMax),
  };
}

/** Returns a line about one of the reader's own asks. It names the recipients instead of the author. */
function toOwnAskLine(stored: StoredMessage): BriefLine {
  const { text, ...line } = toLine("own_ask", stored);
  const recipients = stored.recipients.map((each) => (each === "*" ? "everyone" : each)).join(", ");
  return { ...line, by: null, text: cut(`to ${recipients}: ${text}`, textCharsMax) };
}

/** Returns a line about a task in review, a proposal or an approval, which names who has to reply if one can. */
function toRequestLine({ kind, number, by, text, reviewer, at, unanswered }: OpenRequest): BriefLine {
  const isOwn = kind !== "review";
  const body = isOwn && reviewer !== null ? `to ${reviewer}: ${text}` : text;
  return {
    ...{ kind, sequence: null, version: null, at: at.toISOString(), by: isOwn ? null : by, unanswered },
    ...(kind === "own_proposal"
      ? { proposal: number }
      : kind === "own_approval"
        ? { approval: number }
        : { task: number }),
    text: cut(body, textCharsMax),
  };
}

/** Describes the latest change to a task. Omits the task's number, which the line already shows. */
function describeTask({ change, title, result, reason }: Record<string, unknown>): string {
  const more = result ?? reason;
  return `${String(change).replaceAll("_", " ")}: ${title}${more === undefined ? "" : `; ${more}`}`;
}

/**
 * Describes an event in words, in most cases as in the feed. Leaves out the author, because the line starts
 * with the author.
 */
function describeInBrief({ by: _by, ...content }: Record<string, unknown>): string {
  const { reason, changes } = content;
  const formatField = (name: string) => String(content[name]);
  const why = reason === undefined || reason === null ? "" : `; ${reason}`;
  switch (content["event"]) {
    case "session_metadata_updated":
    case "settings_changed":
      return `changed ${describeChanges(changes)}${why}`;
    case "session_concluded":
      return `concluded with document v${formatField("document_version")}`;
    case "session_held":
      return `put the session on hold, so agents cannot post${why}`;
    case "session_resumed":
      return "resumed the session";
    case "budget_spent":
      return `agents have posted ${formatField("budget")} messages since the last message from a human, and wait for the next one`;
    case "proposal_decided":
      return `proposal ${formatField("proposal_id")}: ${formatField("decision")}`;
    case "topic_opened":
    case "topic_closed":
    case "topic_reopened":
      return `${formatField("event").slice("topic_".length)} topic ${formatField("topic_id")}: ${formatField("title")}${why}`;
    default:
      return describeEvent({ content });
  }
}

/** Describes changed settings, for example `title from "A" to "B", claim grace from 900 s to 60 s`. */
function describeChanges(changes: unknown): string {
  return Object.entries(Object(changes))
    .map(([name, change]) => {
      const { from, to }: { from?: unknown; to?: unknown } = Object(change);
      const unit = name.endsWith("_s") ? " s" : "";
      const words = name.replace(/_s$/, "").replaceAll("_", " ");
      const formatValue = (value: unknown) =>
        `${typeof value === "number" ? value.toLocaleString("en") : JSON.stringify(value)}${unit}`;
      return `${words} from ${formatValue(from)} to ${formatValue(to)}`;
    })
    .join(", ");
}

function formatAuthor({ author_team, author_peer }: StoredMessage): string | null {
  return author_peer === null ? author_team : `${author_team}/${author_peer}`;
}

/** Returns a line about the document's changes: a diff without context lines (DOC-8). */
async function readDocumentLine({ database, workers }: BriefServices, span: BriefSpan): Promise<BriefLine[]> {
  const { orm } = database;
  const [from, to] = await Promise.all([
    findDocumentVersionAfter(orm, span.sessionId, span.after),
    findDocumentVersionAfter(orm, span.sessionId, span.lastSequence),
  ]);
  if (from === to) return [];
  const [before, now] = await Promise.all([
    from === 0 ? { content: "" } : findDocumentVersion(orm, span.sessionId, from),
    findDocumentVersion(orm, span.sessionId, to),
  ]);
  if (!now) return [];
  const isWhole = before?.content !== null && before?.content !== undefined && now.content !== null;
  const diff = isWhole
    ? await workers.run(unifiedDiffTask, {
        from: before.content ?? "",
        to: now.content ?? "",
        fromLabel: `v${from}`,
        toLabel: `v${to}`,
        contextLines: 0,
      })
    : "";
  return [
    {
      kind: "document",
      sequence: null,
      version: to,
      at: now.writtenAt.toISOString(),
      by: null,
      text: cut(
        [from === 0 ? "first written" : `from v${from}`, ...diff.split("\n").slice(2)].join("\n").trim(),
        diffCharsMax,
      ),
    },
  ];
}

function toStateLine({ key, value, updatedBy, updatedAt }: ChangedKey): BriefLine {
  const text = cut(value === null ? `${key} deleted` : `${key} = ${value}`, textCharsMax);
  return { kind: "state", sequence: null, version: null, at: updatedAt.toISOString(), by: updatedBy, text };
}

type ChangedKey = Awaited<ReturnType<typeof listStateAfter>>[number];

function toFailedLine({
  number,
  ...job
}: Awaited<ReturnType<typeof listJobsFailedAfter>>[number]): BriefLine {
  const at = (job.completedAt ?? new Date(0)).toISOString();
  const text = `${job.kind}: ${describeFailure(job) ?? "failed"}`;
  return { kind: "failed", sequence: null, version: null, job: number, at, by: null, text };
}

function toPeopleLine(moves: readonly StoredMessage[]): BriefLine[] {
  const last = moves.at(-1);
  if (!last) return [];
  const teams = (event: string) =>
    moves.filter(({ kind }) => kind === event).map((each) => String(toMessage(each).content["team"]));
  const parts = [
    { word: "joined", teams: teams("team_joined") },
    { word: "left", teams: teams("team_left") },
  ].filter(({ teams }) => teams.length > 0);
  const text = parts.map(({ word, teams }) => `${word}: ${[...new Set(teams)].join(", ")}`).join("; ");
  return [{ ...createBrokerLine("people", last.sequence, last.posted_at), text: cut(text, textCharsMax) }];
}

function toTalkLine(chatCounts: Awaited<ReturnType<typeof countSaid>>): BriefLine[] {
  const last = chatCounts.toSorted((a, b) => a.sequence - b.sequence).at(-1);
  if (!last) return [];
  const total = chatCounts.reduce((sum, { messages }) => sum + messages, 0);
  const text = `${total} ${total === 1 ? "message" : "messages"}: ${chatCounts.map(({ team, messages }) => `${team} ${messages}`).join(", ")}`;
  return [{ ...createBrokerLine("talk", last.sequence, last.at), text: cut(text, textCharsMax) }];
}

function createBrokerLine(kind: BriefLine["kind"], sequence: number, at: Date): Omit<BriefLine, "text"> {
  return { kind, sequence, version: null, at: at.toISOString(), by: null };
}

/** Shortens a string without splitting a surrogate pair. */
function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/**
 * Selects as many lines as fit into a brief, starting with the most important across all sessions, and groups
 * them by session again (BRIEF-3). The length of a line is measured in the form that a model reads, with line
 * breaks indented.
 */
function selectFittingLines(
  spanLines: readonly { span: BriefSpan; lines: readonly BriefLine[] }[],
): SessionBrief[] {
  const shownSpans = spanLines.filter(({ lines }, index) => lines.length > 0 || index === 0);
  let room = limits.briefCharsMax - shownSpans.length * headingCharsMax;
  const inOrder = shownSpans
    .flatMap(({ lines }) => lines)
    .sort((a, b) => briefKinds.indexOf(a.kind) - briefKinds.indexOf(b.kind));
  const selected = new Set<BriefLine>();
  for (const line of inOrder) {
    const chars = formatBriefLine(neutraliseTexts(line)).length + 3;
    if (chars > room) continue;
    room -= chars;
    selected.add(line);
  }
  return shownSpans.map(({ span, lines }) => ({
    session_id: span.sessionId,
    session: span.slug,
    title: span.title,
    after: span.after,
    up_to: span.lastSequence,
    lines: lines.filter((line) => selected.has(line)),
    left_out: lines.filter((line) => !selected.has(line)).length,
  }));
}
