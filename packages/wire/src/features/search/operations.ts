import * as z from "zod";
import { limits } from "../../core/limits.js";
import { asTeam, Sequence, StorableText, Timestamp, Uuid } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { searchKinds } from "./kinds.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const SearchKind = z.enum(searchKinds);

export const SearchHit = z.object({
  kind: SearchKind,
  session_id: Uuid.nullable(),
  session: z.string().nullable().meta({ description: "Its slug." }),
  sequence: Sequence.nullable().meta({ description: "Only for messages, decisions and topic comments." }),
  task: z.int().nullable().meta({ description: "For a task: its number in the session." }),
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
export type SearchHit = z.output<typeof SearchHit>;

export const search = operation("search", {
  summary:
    "Search messages, decisions, documents, tasks, memories, state, sessions, progress and topics of the mesh, best match first.",
  input: z.strictObject({
    query: StorableText.trim()
      .max(limits.queryCharsMax)
      .default("")
      .meta({ description: "Without words: the newest of each kind." }),
    kinds: z.array(SearchKind).max(searchKinds.length).optional().meta({ description: "Only these." }),
    session: StorableText.min(1).max(100).optional().meta({
      description: "Only in this session, by id or slug.",
    }),
    limit: z.int().min(1).max(limits.searchHitsMax).default(limits.searchHitsDefault),
    ...asTeam,
  }),
  output: z.object({
    hits: z.array(SearchHit),
    total: z.int().meta({
      description:
        "All hits in what was searched: if the newest messages have enough, older ones are not. Without words, what was listed.",
    }),
    complete: z.boolean().meta({ description: "False while older messages are still being indexed." }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ hits, total, complete }) =>
    joinLines(
      ...hits.map((hit) => {
        const where =
          hit.memory_id ??
          (hit.topic_id === null ? null : `${hit.topic_id} of ${hit.session ?? hit.source_path}`) ??
          (hit.task === null ? null : `${hit.session} task ${hit.task}`) ??
          hit.key ??
          (hit.progress_id && `${hit.progress_id} in ${formatInlineName(hit.project ?? "")}`) ??
          `${hit.session}${hit.sequence === null ? "" : ` #${hit.sequence}`}`;
        return `${hit.kind} ${where}${hit.by === null ? "" : ` (${formatInlineName(hit.by)})`}: ${hit.marked}`;
      }),
      hits.length === 0 && "nothing found",
      total > hits.length && `${hits.length} of ${total}`,
      !complete && "older messages are still being indexed: search again later",
    ),
});
