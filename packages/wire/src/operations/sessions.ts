import * as z from "zod";
import { limits } from "../core/limits.js";
import {
  asTeam,
  Description,
  DocumentText,
  inSession,
  MemoryId,
  NewTeamName,
  PersonCredential,
  Reason,
  retryable,
  Sequence,
  Slug,
  StorableText,
  TeamCredential,
  TeamKind,
  Timestamp,
  Title,
  Uuid,
  Version,
} from "../core/values.js";
import { formatKeptFields, formatMessageTime } from "../feed/compact.js";
import { formatInlineName, joinLines } from "../text/neutralise.js";
import { formatSealSummary } from "../text/seal-text.js";
import { operation } from "./core-operation.js";
import { HeldBy } from "./people.js";
import { SessionSettings, SessionSettingsInput } from "./settings.js";

/** A short form of the head that was signed at the conclusion. */
const Seal = z.object({
  size: z.int().min(0).meta({ description: "How many messages it covers." }),
  root: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: "SHA-256 in hexadecimal digits." }),
  at: Timestamp,
});

export const SessionStatus = z.enum(["active", "closed"]);

/** A team in a session, with only the fields that lists of sessions need. */
export const PresentTeam = z
  .object({
    team_id: Uuid,
    team_name: z.string(),
    kind: TeamKind,
    colour: z.int(),
    status: z.enum(["active", "idle", "disconnected"]),
    polling: z.boolean(),
    blocked: z
      .boolean()
      .meta({ description: "Whether it, or one of its peers, has declared itself blocked." }),
    dnd: z.boolean().meta({ description: "The same for dnd, if none is blocked." }),
  })
  .meta({ id: "PresentTeam" });

export type PresentTeam = z.output<typeof PresentTeam>;

export const Session = z
  .object({
    session_id: Uuid,
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    status: SessionStatus,
    session_closed: z.boolean(),
    created_by_team_id: Uuid,
    created_at: Timestamp,
    updated_at: Timestamp,
    closed_at: Timestamp.nullable(),
    archived_at: Timestamp.nullable().meta({
      description: "Since when its messages are in the archive; null while they are here.",
    }),
    last_sequence: Sequence,
    last_posted_at: Timestamp.nullable(),
    last_said_at: Timestamp.nullable().meta({
      description: "When the last chat message was posted; null when there is none.",
    }),
    last_said_by: z.string().nullable().meta({ description: "The team that posted it." }),
    last_said_text: z.string().nullable().meta({
      description: "The first line of its text; null if it is private, redacted or archived.",
    }),
    last_read: Sequence.nullable().meta({
      description: "The last message that you have read; null without your credential.",
    }),
    unread: z.int().nullable().meta({
      description: "Unread messages of others, at most 1,000; null without your credential.",
    }),
    document_version: Version,
    bytes: z.int().meta({
      description: "Bytes of its messages and document versions, counted hourly.",
    }),
    held: HeldBy.meta({ description: "The human who holds it: agents cannot post." }),
    quiet_since: Timestamp.nullable().meta({
      description:
        "For an open session: since when no one has polled or posted, once that is long ago (ATT-6).",
    }),
    conclusion: z
      .string()
      .nullable()
      .meta({ description: "For a closed session: the first line of its conclusion." }),
    teams: z.int().meta({ description: "How many teams are in it now." }),
    present: z
      .array(PresentTeam)
      .meta({ description: "The teams in it now, in the order in which they joined; the first 12." }),
  })
  .meta({ id: "Session" });

export type Session = z.output<typeof Session>;

export const createSession = operation("create_session", {
  unlisted: ["from_session"],
  summary: "Start a session as its convener, if there is none for this work yet; otherwise join_session.",
  unlistedOverStdio: ["settings"],
  input: z.strictObject({
    title: Title,
    description: Description.default("").meta({
      description: "Goal of the session.",
    }),
    creator_team_name: NewTeamName.optional().meta({
      description: "Your team's name.",
    }),
    slug: Slug.optional().meta({
      description: "Such as auth-refactor (default: made from the title).",
    }),
    settings: SessionSettingsInput.optional(),
    from_session: StorableText.min(1).max(100).optional().meta({
      description: "A concluded session to continue from; its sealed conclusion becomes the first memory.",
    }),
    team_id: PersonCredential.optional().meta({
      description: "A person's credential, if a person starts it; then leave out creator_team_name.",
    }),
    ...retryable,
  }),
  output: z.object({
    session_id: Uuid,
    slug: z.string(),
    team_id: TeamCredential,
    cursor: Sequence,
    title: z.string(),
    description: z.string(),
    memory_id: MemoryId.optional().meta({ description: "The memory that was created from from_session." }),
  }),
  errors: ["unauthorized", "not_found", "conflict"],
  compact: (created, rendering) =>
    `session ${created.slug} (${created.session_id}) created.${formatKeptFields(created, rendering)}`,
});

export const getSession = operation("get_session", {
  summary: "Read a session's title, description, status and document version.",
  input: z.strictObject({ ...inSession, ...asTeam }),
  output: Session.extend({
    settings: SessionSettings,
    last_change: z
      .object({ by: z.string(), reason: z.string(), at: Timestamp })
      .nullable()
      .meta({ description: "Who last changed title or description, and why." }),
    agent_messages: z.int().meta({
      description: "Messages that agents have posted since the last message from a human.",
    }),
    // Fields that belong to features, which a build may leave out.
    unfinished_tasks: z
      .int()
      .optional()
      .meta({ description: "How many of its tasks are neither done nor cancelled." }),
    state_keys: z.int().optional().meta({ description: "Number of keys set in its own state." }),
    memories: z.int().optional().meta({ description: "Number of memories from it that are not forgotten." }),
    progress_entries: z
      .int()
      .optional()
      .meta({ description: "How many progress entries were logged in it." }),
    origin: z.object({ record_id: Uuid, key_id: z.string(), imported_at: Timestamp }).nullable().meta({
      description:
        "For an imported, read-only copy: the id in its record, and the first of its signing keys.",
    }),
    seal: Seal.nullable().meta({
      description: "What its last conclusion signed; session_seal has the signature.",
    }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: (session) =>
    joinLines(
      `session ${session.slug} ${session.status}: ${session.title}`,
      session.description && `description: ${session.description}`,
      `${session.teams} teams, ${session.last_sequence} messages, document v${session.document_version}`,
      session.held &&
        `held by ${formatInlineName(session.held.by)}: agents cannot post${session.held.reason === null ? "" : `, ${session.held.reason}`}`,
      session.settings.message_budget > 0 &&
        `${session.agent_messages} of ${session.settings.message_budget} messages of agents since the last message from a human`,
      session.archived_at !== null && "archived: its messages are in the archive until a human restores them",
      session.seal && formatSealSummary(session.seal),
    ),
});

export const listSessions = operation("list_sessions", {
  summary: "List sessions, most recently active first, to find the session you were asked to join.",
  unlisted: ["needs", "team", "sort"],
  unlistedOverStdio: ["limit"],
  input: z.strictObject({
    query: StorableText.max(limits.titleCharsMax)
      .optional()
      .meta({ description: "Part of a title, description or slug." }),
    status: z
      .enum(["active", "closed", "open", "all"])
      .default("all")
      .meta({ description: "Session status (default: all)." }),
    needs: z.boolean().default(false).meta({ description: "Only sessions that need a human." }),
    team: StorableText.min(1).max(limits.nameCharsMax).optional().meta({
      description: "Only sessions with a team of this name, past or present.",
    }),
    sort: z
      .enum(["activity", "said", "created", "title", "size"])
      .default("activity")
      .meta({ description: "By last entry, last chat message, creation, title or bytes." }),
    limit: z.int().min(1).max(limits.sessionsPageMax).default(limits.sessionsPageDefault),
    before: StorableText.max(1_500).optional().meta({ description: "next_cursor of the last page." }),
    ...asTeam,
  }),
  output: z.object({
    sessions: z.array(Session),
    next_cursor: z.string().nullable(),
    counts: z.object({ active: z.int(), closed: z.int() }).meta({
      description: "Number of sessions in the mesh, regardless of filters.",
    }),
  }),
  errors: ["unauthorized"],
  compact: ({ sessions, next_cursor }) =>
    joinLines(
      ...sessions.map(
        (s) =>
          `- ${s.slug} ${s.status} ${s.teams} teams, ${s.last_sequence} messages, v${s.document_version}: ${s.title}`,
      ),
      sessions.length === 0 && "no sessions",
      next_cursor && `more: before ${next_cursor}`,
    ),
});

const Change = z.object({ from: z.string(), to: z.string() });

export const updateSessionMetadata = operation("update_session_metadata", {
  summary:
    "Change title or description when the scope or goal has really changed, not for nicer wording. Every team sees your reason.",
  input: z
    .strictObject({
      ...inSession,
      title: Title.optional(),
      description: Description.optional(),
      reason: Reason,
      ...asTeam,
      ...retryable,
    })
    .refine((input) => input.title !== undefined || input.description !== undefined, {
      error: "name a new title, a new description, or both",
    }),
  output: z.object({
    title: z.string(),
    description: z.string(),
    updated_at: Timestamp,
    changes: z.object({ title: Change.optional(), description: Change.optional() }),
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found"],
  compact: (updated) => `changed ${formatMessageTime(updated.updated_at)}, now: ${updated.title}`,
});

export const concludeSession = operation("conclude_session", {
  summary:
    "End the session for everyone, once all have reported: writes the document's Conclusion and closes the feed. Usually the convener does it; repeat it to revise the text.",
  loadedUpfront: true,
  input: z.strictObject({
    ...inSession,
    summary_section: DocumentText.refine((text) => text.trim() !== "", { error: "must not be blank" }).meta({
      description: "Markdown: what was decided, what is done, where to resume.",
    }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({
    session_id: Uuid,
    status: z.literal("closed"),
    closed_at: Timestamp,
    doc_version: Version,
    seal: Seal,
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ closed_at, doc_version, seal }) =>
    `closed ${formatMessageTime(closed_at)}, document v${doc_version}, ${formatSealSummary(seal)}`,
});
