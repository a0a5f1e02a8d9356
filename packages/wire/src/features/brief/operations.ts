import * as z from "zod";
import { limits } from "../../core/limits.js";
import { asTeam, instantOf, Sequence, StorableText, Timestamp, Uuid, Version } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { joinLines } from "../../text/neutralise.js";
import { briefKinds, formatBriefLine } from "./brief-line.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

export const BriefLine = z
  .object({
    kind: z.enum(briefKinds),
    sequence: Sequence.nullable().meta({
      description: "Message to look up; the newest if there are several.",
    }),
    version: Version.nullable().meta({ description: "Document version, if it changed." }),
    task: z.int().optional().meta({ description: "Task number, if it is about one." }),
    job: z.int().optional().meta({ description: "Job number, if one failed." }),
    proposal: z.int().optional().meta({ description: "Proposal number, if one is open." }),
    approval: z.int().optional().meta({ description: "Approval number, if one waits." }),
    at: Timestamp,
    by: z.string().nullable(),
    unanswered: z.boolean().optional().meta({
      description:
        "Whether it has had no reply for the broker's `unanswered_after_s`; only for what was asked.",
    }),
    text: z.string(),
  })
  .meta({ id: "BriefLine" });

export type BriefLine = z.output<typeof BriefLine>;

export const SessionBrief = z
  .object({
    session_id: Uuid,
    session: z.string().meta({ description: "Its slug." }),
    title: z.string(),
    after: Sequence.meta({ description: "Everything after this message is new." }),
    up_to: Sequence,
    lines: z.array(BriefLine),
    left_out: z.int().meta({ description: "Lines that did not fit." }),
  })
  .meta({ id: "SessionBrief" });

export type SessionBrief = z.output<typeof SessionBrief>;

export const brief = operation("brief", {
  summary:
    "See what changed since you last read: asks and reviews for you, answers, what you wait for, decisions, tasks, document, state, people; most important first.",
  unlisted: ["since_cursor", "summary"],
  input: z
    .strictObject({
      session: StorableText.min(1)
        .max(100)
        .optional()
        .meta({ description: "Session id or slug (default: all sessions that you take part in)." }),
      since: instantOf("from").optional().meta({ description: "Everything from this time on instead." }),
      since_cursor: Sequence.optional().meta({ description: "Everything after this message instead." }),
      summary: z
        .boolean()
        .optional()
        .meta({ description: "Whether to add a summary by the broker's summariser, if it has one." }),
      ...asTeam,
    })
    .refine((input) => input.since === undefined || input.since_cursor === undefined, {
      error: "give since or since_cursor, not both",
      path: ["since"],
    })
    .refine((input) => input.since_cursor === undefined || input.session !== undefined, {
      error: "since_cursor needs a session",
      path: ["since_cursor"],
    }),
  output: z.object({
    sessions: z
      .array(SessionBrief)
      .meta({ description: `At most ${limits.briefSessionsMax}, most recently active first.` }),
    summary: z.string().nullable().optional().meta({
      description: "Summary by a model, if requested; null without a summariser or if it took too long.",
    }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ sessions, summary }) =>
    joinLines(
      ...sessions.flatMap(formatSessionBrief),
      sessions.length === 0 && "nothing new",
      summary && `summary by a model: ${summary}`,
    ),
});

/** Formats the part of a brief that covers one session. The quoted text comes from other users. */
function formatSessionBrief({ session, after, up_to, lines: briefLines, left_out }: SessionBrief): string[] {
  if (briefLines.length === 0) return [`nothing new in ${session} after #${after}`];
  return [
    `new in ${session}, #${after + 1} to #${up_to}:`,
    ...briefLines.map((line) => `- ${formatBriefLine(line)}`),
    ...(left_out > 0 ? [`- ${left_out} more: get_history`] : []),
  ];
}
