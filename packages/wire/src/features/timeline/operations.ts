import * as z from "zod";
import { limits } from "../../core/limits.js";
import {
  asTeam,
  inSession,
  instantOf,
  Sequence,
  TeamKind,
  Timestamp,
  Uuid,
  Version,
} from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { joinLines } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

export const TimelineMark = z.object({
  kind: z.enum(["ask", "decision", "document", "metadata", "joined", "left", "held", "concluded"]),
  at: Timestamp,
  by: z.string().nullable(),
  sequence: Sequence.nullable().meta({ description: "The message; null for a document's version." }),
  version: Version.nullable().meta({ description: "Document version." }),
});
export type TimelineMark = z.output<typeof TimelineMark>;

export const getTimeline = operation("get_timeline", {
  summary: "Read how much each team posted over time, and when asks, decisions and versions were made.",
  unlisted: true,
  input: z.strictObject({
    ...inSession,
    buckets: z.int().min(1).max(limits.timelineBucketsMax).default(60),
    from: instantOf("from").optional().meta({ description: "Start (default: the session's creation)." }),
    to: instantOf("to").optional().meta({
      description: "End (default: now, or a closed session's last message).",
    }),
    ...asTeam,
  }),
  output: z.object({
    from: Timestamp,
    to: Timestamp,
    bucket_ms: z.int().meta({ description: "How long one bucket is; the last may end later than `to`." }),
    lanes: z
      .array(
        z.object({
          team_id: Uuid,
          team: z.string(),
          kind: TeamKind,
          colour: z.int(),
          counts: z.array(z.int()).meta({ description: "Chat messages in each bucket." }),
        }),
      )
      .meta({ description: "A lane for each team that posted, in the order in which they joined." }),
    marks: z.array(TimelineMark).meta({ description: "In order of time; the newest, if not all fit." }),
    marks_left_out: z.int(),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ from, to, lanes, marks }) =>
    joinLines(`${from} to ${to}, ${lanes.length} teams, ${marks.length} marks`),
});
