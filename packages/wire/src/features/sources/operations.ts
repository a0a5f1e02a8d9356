import * as z from "zod";
import { limits } from "../../core/limits.js";
import { asTeam, SourceHash, SourcePath, StorableText, Timestamp } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines, neutralise } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/** A file, with the numbers of its open topics, open proposals and unfinished jobs. */
const ListedFile = z.object({
  source_path: z.string(),
  open_topics: z.int(),
  open_proposals: z.int(),
  jobs_in_flight: z.int().meta({ description: "Queued or running." }),
});

export const listSources = operation("list_sources", {
  summary: "List the files that agents can work on: the Git files under this broker's roots.",
  unlisted: true,
  input: z.strictObject({
    query: StorableText.trim()
      .max(limits.queryCharsMax)
      .optional()
      .meta({ description: "Only files whose path contains this, case-insensitive." }),
    names_only: z.boolean().default(false).meta({
      description: "Only the names of the roots, without files or problems.",
    }),
    limit: z.int().min(1).max(limits.sourcesListedMax).default(limits.sourcesListedDefault),
    ...asTeam,
  }),
  output: z.object({
    roots: z.array(
      z.object({
        root: z.string(),
        problem: z
          .string()
          .nullable()
          .meta({ description: "Why its files cannot be changed; null if they can." }),
      }),
    ),
    files: z.array(ListedFile),
    has_more: z.boolean(),
    can_commit: z.boolean().meta({
      description: "Whether accepted proposals on files can be committed: agent.author_name is configured.",
    }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ roots, files, has_more }) =>
    joinLines(
      ...roots.map(({ root, problem }) => problem !== null && `root ${formatInlineName(root)}: ${problem}`),
      ...files.map(compactFile),
      files.length === 0 && "no files",
      has_more && "more: narrow it with query",
    ),
});

export const readSource = operation("read_source", {
  summary: "Read the text of a file under a root, with its hash.",
  unlisted: true,
  input: z.strictObject({
    source_path: SourcePath,
    source_sha: SourceHash.optional().meta({
      description: "An earlier text by its hash; only texts that were used as a base are kept.",
    }),
    last_commit: z.boolean().default(false).meta({ description: "Also which commit changed the file last." }),
    ...asTeam,
  }),
  output: z.object({
    source_path: z.string(),
    source_sha: z.string().meta({ description: "Git's name of this text." }),
    committed: z.boolean().meta({
      description: "Whether this is the text of the last commit; uncommitted text is never overwritten.",
    }),
    text: z.string(),
    last_commit: z
      .object({ commit: z.string(), by: z.string(), at: Timestamp, subject: z.string() })
      .nullable()
      .optional()
      .meta({
        description: "The last commit of the file, if requested; null if Git does not know it.",
      }),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  verbatim: ["text"],
  compact: ({ source_path, source_sha, text }) =>
    `file ${formatInlineName(source_path)} ${source_sha}, from the next line to the end:\n${neutralise(text)}`,
});

function compactFile(file: z.output<typeof ListedFile>): string {
  const { source_path, open_topics, open_proposals, jobs_in_flight } = file;
  const work = [
    open_topics > 0 && `${open_topics} open topics`,
    open_proposals > 0 && `${open_proposals} open proposals`,
    jobs_in_flight > 0 && `${jobs_in_flight} jobs in flight`,
  ].filter(Boolean);
  return work.length === 0
    ? `- ${formatInlineName(source_path)}`
    : `- ${formatInlineName(source_path)}: ${work.join(", ")}`;
}
