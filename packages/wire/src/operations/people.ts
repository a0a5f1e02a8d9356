import * as z from "zod";
import { asTeam, inSession, Reason, retryable, Timestamp } from "../core/values.js";
import { formatMessageTime } from "../feed/compact.js";
import { formatInlineAddress, joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";
import { Recipients } from "./messaging.js";
import { WakePath } from "./peers.js";

const Nudged = z.object({
  team: z.string(),
  peer: z.string().nullable(),
  connected: z.boolean(),
  /** The wake paths that were used. `wait` means that a waiting poll of the peer got its reply. */
  reached: z.array(WakePath),
  last_seen_at: Timestamp,
});

export const nudge = operation("nudge", {
  summary: "Wake a peer or team so that it reads its messages; posts nothing and returns who was woken.",
  input: z.strictObject({ ...inSession, to: Recipients, ...asTeam, ...retryable }),
  output: z.object({ nudged: z.array(Nudged) }),
  errors: ["unauthorized", "session_closed", "not_found"],
  compact: ({ nudged }) =>
    joinLines(
      ...nudged.map(
        ({ team, peer, reached, connected, last_seen_at }) =>
          `- ${formatInlineAddress(team, peer)}: ${
            reached.length > 0
              ? `woken by ${reached.join(", ")}`
              : connected
                ? "connected, but cannot be woken: it will read at its next poll"
                : `away since ${formatMessageTime(last_seen_at)}`
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
