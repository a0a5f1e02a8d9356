import * as z from "zod";
import { limits } from "../../core/limits.js";
import { parseInstant } from "../../core/parse-instant.js";
import { isStorable } from "../../core/utf8.js";
import { asTeam, retryable, StorableText, Timestamp } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/**
 * Creates a field for one line of text. Its error messages name the field. Agents that used the progress
 * tracker before it was part of Merkle rely on the wording.
 */
function lineOf(field: string, charsMax: number) {
  return storableString(field)
    .trim()
    .min(1, { error: `${field} is required` })
    .max(charsMax, { error: `${field} exceeds maximum length of ${charsMax} characters` })
    .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), {
      error: `${field} must be one line without control characters`,
    });
}

function storableString(field: string) {
  return z
    .string({ error: ({ input }) => (input === undefined ? `${field} is required` : undefined) })
    .refine(isStorable, { error: `${field} must not contain NUL characters or lone surrogates` });
}

const ProjectId = lineOf("projectId", limits.projectIdCharsMax).meta({
  description: "Usually the repository's name.",
  examples: ["mobile-app"],
});

const EntryTag = lineOf("tag", limits.tagCharsMax).refine((tag) => !tag.includes(","), {
  error: "tag must not contain a comma",
});
const EntryTags = z.array(EntryTag).max(limits.progressTagsMax, {
  error: `tags exceed the maximum of ${limits.progressTagsMax} items`,
});

/** Creates a field for a date. A date without a time stands for the whole day in UTC. */
function day(field: string) {
  return z
    .string()
    .refine((text) => parseInstant(text) !== null, {
      error: `Invalid date format for ${field}: expected ISO 8601`,
    })
    .optional();
}

const EntryId = z.string().regex(/^[0-9A-Za-z_-]{12}$/);

const entry = {
  id: EntryId,
  title: z.string(),
  createdAt: Timestamp,
  tags: z.array(z.string()),
  agentId: z.string().nullable(),
  loggedBy: z.string().meta({ description: "The team, `team/peer` or person that logged it." }),
};

const ProgressEntry = z.object(entry).meta({ id: "ProgressEntry" });
export type ProgressEntry = z.output<typeof ProgressEntry>;

/**
 * The session in which a person's entry is logged. A team's entry is always logged in the team's own session.
 */
const inOwnSession = {
  session: StorableText.min(1).max(100).optional().meta({
    description: "The session that it was done in, by id or slug; for a person, who has no default session.",
  }),
};

export const logProgress = operation("log_progress", {
  summary:
    "Log finished work and how it was done, for anyone who works on the project next. It does not finish a task.",
  unlisted: ["session"],
  unlistedOverStdio: ["agentId"],
  input: z.strictObject({
    projectId: ProjectId,
    title: lineOf("title", limits.progressTitleCharsMax),
    content: storableString("content")
      .max(limits.progressContentCharsMax, {
        error: `content exceeds maximum length of ${limits.progressContentCharsMax} characters`,
      })
      .refine((text) => text.trim() !== "", { error: "content is required and cannot be empty" })
      .meta({ description: "What was done and how, in detail." }),
    tags: EntryTags.default([]),
    agentId: lineOf("agentId", limits.nameCharsMax).optional(),
    ...inOwnSession,
    ...asTeam,
    ...retryable,
  }),
  output: z.object({ id: EntryId, projectId: z.string(), title: z.string(), createdAt: Timestamp }),
  errors: ["unauthorized", "not_found", "conflict"],
  compact: ({ id, projectId, title }) =>
    `Logged: ${title} (ID: ${id}) in project ${formatInlineName(projectId)}`,
});

export const getContext = operation("get_context", {
  summary: "Read a progress entry in two or three sentences; with includeFull all of it.",
  input: z.strictObject({
    projectId: ProjectId,
    id: lineOf("id", limits.nameCharsMax),
    includeFull: z.boolean().default(false),
    ...asTeam,
  }),
  output: z.object({
    ...entry,
    projectId: z.string(),
    summary: z.string().meta({ description: "The beginning of the content if no summary could be made." }),
    content: z.string().optional().meta({ description: "With includeFull." }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ summary, content }) =>
    joinLines(`summary: ${summary}`, content !== undefined && `content: ${content}`),
});

export const searchLogs = operation("search_logs", {
  summary: "Find progress entries of a project, newest first. To read an entry, use get_context.",
  unlistedOverStdio: ["limit"],
  input: z.strictObject({
    projectId: ProjectId,
    query: storableString("query")
      .max(limits.queryCharsMax)
      .optional()
      .meta({ description: "Part of the title, case-insensitive." }),
    content: storableString("content").trim().min(1).max(limits.queryCharsMax).optional().meta({
      description: "Words in title or content, matched by stem.",
    }),
    tags: EntryTags.optional().meta({ description: "Only those that have all of these." }),
    startDate: day("startDate").meta({ description: "ISO 8601: created then or later." }),
    endDate: day("endDate").meta({ description: "ISO 8601: created then or earlier." }),
    limit: z.int().min(1).max(limits.progressPageMax).default(limits.progressPageDefault),
    ...asTeam,
  }),
  output: z.object({
    projectId: z.string(),
    query: z.string().nullable(),
    entries: z.array(ProgressEntry),
    total: z.int().min(0).meta({ description: "Total number, including those beyond the limit." }),
  }),
  errors: ["unauthorized"],
  compact: ({ projectId, query, entries, total }) => {
    const matching = query === null ? "" : ` matching '${query.replaceAll("\n", " ")}'`;
    const found = `Found ${total} ${total === 1 ? "entry" : "entries"}${matching} in ${formatInlineName(projectId)}`;
    const shown = entries.length < total ? `, the newest ${entries.length}` : "";
    return joinLines(`${found}${shown}${entries.length === 0 ? "" : ":"}`, ...entries.map(formatEntryLine));
  },
});

const ListedEntry = z
  .object({
    ...entry,
    projectId: z.string(),
    session: z.string().nullable().meta({ description: "The slug of the session that it was logged in." }),
    summary: z.string().nullable().meta({ description: "Created by the first get_context; null before." }),
    opening: z.string().meta({ description: "The beginning of the content." }),
    marked: z.string().nullable().meta({
      description: "With text: the part that matches best, with each matched word as «word».",
    }),
  })
  .meta({ id: "ListedProgressEntry" });
export type ListedProgressEntry = z.output<typeof ListedEntry>;

export const listProgress = operation("list_progress", {
  summary: "List progress entries of all projects, or of a session, newest first.",
  unlisted: true,
  input: z.strictObject({
    id: EntryId.optional().meta({ description: "Only this one." }),
    projectId: ProjectId.optional(),
    session: StorableText.min(1).max(100).optional().meta({
      description: "Only entries logged in this session, by id or slug.",
    }),
    text: storableString("text").trim().min(1).max(limits.queryCharsMax).optional().meta({
      description: "Part of the title, or words in title, content or tags, matched by stem.",
    }),
    tags: EntryTags.optional().meta({ description: "Only those that have all of these." }),
    by: lineOf("by", 2 * limits.nameCharsMax + 1)
      .optional()
      .meta({
        description: "Only entries by this team, `team/peer`, person or agentId.",
      }),
    startDate: day("startDate").meta({ description: "ISO 8601: created then or later." }),
    endDate: day("endDate").meta({ description: "ISO 8601: created then or earlier." }),
    before: EntryId.optional().meta({ description: "next_cursor of the last page." }),
    limit: z.int().min(1).max(limits.progressPageMax).default(limits.progressPageDefault),
    ...asTeam,
  }),
  output: z.object({ entries: z.array(ListedEntry), next_cursor: EntryId.nullable() }),
  errors: ["unauthorized", "not_found"],
  compact: ({ entries, next_cursor }) =>
    joinLines(
      ...entries.map(
        (each, index) => `${formatEntryLine(each, index)} in ${formatInlineName(each.projectId)}`,
      ),
      entries.length === 0 && "no entries",
      next_cursor && `more: before ${next_cursor}`,
    ),
});

export const listProgressProjects = operation("list_progress_projects", {
  summary: "List the projects with progress entries, newest entry first.",
  unlisted: true,
  input: z.strictObject({
    limit: z.int().min(1).max(limits.projectsPageMax).default(limits.projectsPageMax),
    ...asTeam,
  }),
  output: z.object({
    projects: z.array(
      z.object({
        projectId: z.string(),
        entries: z.int(),
        lastAt: Timestamp.meta({ description: "Time of its newest entry." }),
      }),
    ),
    total: z.int().min(0).meta({ description: "Total number, including those beyond the limit." }),
  }),
  errors: ["unauthorized"],
  compact: ({ projects }) =>
    joinLines(
      ...projects.map(({ projectId, entries }) => `- ${formatInlineName(projectId)}: ${entries}`),
      projects.length === 0 && "no projects",
    ),
});

function formatEntryLine(
  { id, title, createdAt }: Pick<ProgressEntry, "id" | "title" | "createdAt">,
  index: number,
): string {
  return `${index + 1}. ${id} - ${title} (${createdAt.slice(0, 10)})`;
}
