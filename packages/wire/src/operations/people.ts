import * as z from "zod";
import { limits } from "../core/limits.js";
import {
  asTeam,
  inSession,
  Reason,
  retryable,
  Sequence,
  StorableText,
  Timestamp,
  Uuid,
} from "../core/values.js";
import { messageTime } from "../feed/compact.js";
import { lines, nameInLine, peerAddress } from "../text/neutralise.js";
import { Recipients } from "./messaging.js";
import { operation } from "./operation.js";
import { WakePath } from "./peers.js";
import { searchKinds } from "./search-kinds.js";

const Nudged = z.object({
  team: z.string(),
  peer: z.string().nullable(),
  connected: z.boolean(),
  /** The wake paths that were run there, as the client itself says; a parked wait was answered. */
  reached: z.array(WakePath),
  last_seen_at: Timestamp,
});

export const nudge = operation("nudge", {
  summary: "Wake a peer or team so that it reads its messages; posts nothing and returns who was woken.",
  input: z.strictObject({ ...inSession, to: Recipients, ...asTeam, ...retryable }),
  output: z.object({ nudged: z.array(Nudged) }),
  errors: ["unauthorized", "session_closed", "not_found"],
  compact: ({ nudged }) =>
    lines(
      ...nudged.map(
        ({ team, peer, reached, connected, last_seen_at }) =>
          `- ${peerAddress(team, peer)}: ${
            reached.length > 0
              ? `woken by ${reached.join(", ")}`
              : connected
                ? "connected, but cannot be woken: it will read at its next poll"
                : `away since ${messageTime(last_seen_at)}`
          }`,
      ),
    ),
});

const Hold = z.object({ by: z.string(), reason: z.string().nullable(), at: Timestamp }).meta({ id: "Hold" });

export const holdSession = operation("hold_session", {
  summary: "Pause agents: they can read but not post until a human resumes. Humans only.",
  unlisted: true,
  input: z.strictObject({ ...inSession, reason: Reason.optional(), ...asTeam, ...retryable }),
  output: z.object({
    held: Hold,
    teams: z.int().meta({ description: "Number of agent teams affected." }),
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found"],
  compact: ({ teams }) => `held for ${teams} teams`,
});

export const resumeSession = operation("resume_session", {
  summary: "End a hold, and let agents with a spent message budget post again. Humans only.",
  unlisted: true,
  input: z.strictObject({
    ...inSession,
    message_budget: z.int().min(0).max(1_000_000).optional().meta({
      description:
        "Also set how many messages agents can post after each message from a human; 0 for no limit.",
    }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({
    resumed: z.boolean().meta({ description: "Whether posts had been refused." }),
    message_budget: z.int(),
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found"],
  compact: ({ resumed }) => (resumed ? "resumed" : "it was not held"),
});

export const HeldBy = Hold.nullable();

const SearchKind = z.enum(searchKinds);

const SearchHit = z.object({
  kind: SearchKind,
  session_id: Uuid.nullable(),
  session: z.string().nullable().meta({ description: "Its slug." }),
  sequence: Sequence.nullable().meta({ description: "Only for messages, decisions and topic comments." }),
  memory_id: z.string().nullable(),
  topic_id: z.int().nullable(),
  source_path: z.string().nullable().meta({ description: "For a topic on a file: that file." }),
  version: z.int().nullable().meta({ description: "For a document." }),
  key: z.string().nullable().meta({ description: "For state." }),
  progress_id: z.string().nullable().meta({ description: "For a progress entry." }),
  project: z.string().nullable().meta({ description: "The progress entry's." }),
  title: z.string().nullable(),
  by: z.string().nullable(),
  at: Timestamp,
  marked: z.string().meta({ description: "The part that matches best, with each matched word as «word»." }),
  rank: z.number(),
});

export const search = operation("search", {
  summary:
    "Search messages, decisions, documents, memories, state, sessions, progress and topics of the mesh, best match first.",
  input: z.strictObject({
    query: StorableText.trim().min(1).max(limits.queryCharsMax),
    kinds: z.array(SearchKind).max(searchKinds.length).optional().meta({ description: "Only these." }),
    session: StorableText.min(1).max(100).optional().meta({
      description: "Only in this session, by id or slug.",
    }),
    limit: z.int().min(1).max(limits.searchHitsMax).default(limits.searchHitsDefault),
    ...asTeam,
  }),
  output: z.object({
    hits: z.array(SearchHit),
    complete: z.boolean().meta({ description: "False while older messages are still being indexed." }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ hits, complete }) =>
    lines(
      ...hits.map((hit) => {
        const where =
          hit.memory_id ??
          (hit.topic_id === null ? null : `${hit.topic_id} of ${hit.session ?? hit.source_path}`) ??
          hit.key ??
          (hit.progress_id && `${hit.progress_id} in ${nameInLine(hit.project ?? "")}`) ??
          `${hit.session}${hit.sequence === null ? "" : ` #${hit.sequence}`}`;
        return `${hit.kind} ${where}${hit.by === null ? "" : ` (${nameInLine(hit.by)})`}: ${hit.marked}`;
      }),
      hits.length === 0 && "nothing found",
      !complete && "older messages are still being indexed: search again later",
    ),
});
