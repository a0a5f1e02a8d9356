import * as z from "zod";
import { limits } from "../core/limits.js";
import {
  asTeam,
  DocumentText,
  inSession,
  instantOf,
  retryable,
  StorableText,
  Timestamp,
  Uuid,
  Version,
} from "../core/values.js";
import { describeRedaction, formatMessageTime } from "../feed/compact.js";
import { Redaction } from "../feed/message.js";
import { formatInlineName, joinLines, neutralise } from "../text/neutralise.js";
import { operation } from "./core-operation.js";

export const readSessionDoc = operation("read_session_doc", {
  summary: "Read the shared markdown document and its version.",
  loadedUpfront: true,
  unlisted: ["at"],
  input: z
    .strictObject({
      ...inSession,
      section: StorableText.min(1)
        .max(limits.titleCharsMax)
        .optional()
        .meta({ description: "Only the text under this heading." }),
      since_version: Version.optional().meta({
        description: "Only what changed since, as a diff.",
      }),
      version: Version.optional().meta({ description: "Read an older version." }),
      at: instantOf("to").optional().meta({ description: "Read the version at this time." }),
      ...asTeam,
    })
    .refine(
      (input) => [input.section, input.since_version].filter((given) => given !== undefined).length < 2,
      {
        error: "name section or since_version, not both",
      },
    )
    .refine(
      (input) =>
        input.version === undefined ||
        input.since_version === undefined ||
        input.since_version <= input.version,
      {
        error: "since_version must not be newer than version",
      },
    )
    .refine((input) => input.at === undefined || input.version === undefined, {
      error: "name version or at, not both",
    }),
  output: z.object({
    content: z.string().optional().meta({ description: "The markdown; absent when a diff was asked for." }),
    diff: z.string().optional().meta({ description: "A unified diff; empty when nothing changed." }),
    version: Version,
    current_version: Version,
    updated_at: Timestamp,
    redacted_version: Version.optional().meta({
      description: "The requested version whose text was removed; there is no content or diff.",
    }),
    redaction: Redaction.optional(),
  }),
  errors: ["unauthorized", "not_found"],
  verbatim: ["content", "diff"],
  compact: (doc) => compactDocument(doc),
});

/**
 * Formats a document without changing its lines, because models quote these lines when they edit. The
 * document's text always comes last (TEXT-4).
 */
function compactDocument(doc: {
  version: number;
  content?: string | undefined;
  diff?: string | undefined;
  redacted_version?: number | undefined;
  redaction?: Redaction | undefined;
}): string {
  if (doc.redacted_version !== undefined)
    return `document v${doc.redacted_version}: ${describeRedaction(doc.redaction)}`;
  if (doc.diff === "") return `document v${doc.version}, unchanged`;
  const [what, text] = doc.diff === undefined ? ["", doc.content ?? ""] : [" as a diff", doc.diff];
  if (text === "") return `document v${doc.version}, empty`;
  return `document v${doc.version}${what}, from the next line to the end:\n${neutralise(text)}`;
}

const written = z.object({ version: Version });
const compactVersion = (doc: { version: number }) => `document v${doc.version}`;

export const updateSessionDoc = operation("update_session_doc", {
  summary:
    "Replace the whole document. On a conflict merge what changed and try again. For small changes use edit_session_doc or append_to_session_doc.",
  loadedUpfront: true,
  unlistedOverStdio: ["include_content"],
  input: z.strictObject({
    ...inSession,
    content: DocumentText,
    expected_version: Version.meta({ description: "The version you read; 0 when new." }),
    include_content: z
      .boolean()
      .default(false)
      .meta({ description: "On a conflict, return the whole content." }),
    ...asTeam,
    ...retryable,
  }),
  output: written,
  errors: ["unauthorized", "session_closed", "not_found", "conflict"],
  compact: compactVersion,
});

export const appendToSessionDoc = operation("append_to_session_doc", {
  summary: "Add text at the end of the document, on a new line. Never conflicts.",
  loadedUpfront: true,
  input: z.strictObject({
    ...inSession,
    text: DocumentText.refine((text) => text !== "", { error: "must not be empty" }),
    ...asTeam,
    ...retryable,
  }),
  output: written,
  errors: ["unauthorized", "session_closed", "not_found"],
  compact: compactVersion,
});

export const editSessionDoc = operation("edit_session_doc", {
  summary: "Replace a passage of the document: old_text, which must occur exactly once, becomes new_text.",
  loadedUpfront: true,
  input: z.strictObject({
    ...inSession,
    old_text: StorableText.min(1),
    new_text: StorableText,
    ...asTeam,
    ...retryable,
  }),
  output: written,
  errors: ["unauthorized", "session_closed", "not_found", "conflict"],
  compact: compactVersion,
});

export const DocumentVersion = z
  .object({
    version: Version,
    written_by_team_id: Uuid,
    written_by: z.string(),
    written_at: Timestamp,
    bytes: z.int(),
    after_sequence: z
      .int()
      .meta({ description: "The last message of the feed when this version was written." }),
    redaction: Redaction.optional().meta({ description: "Present when its text was removed." }),
  })
  .meta({ id: "DocumentVersion" });
export type DocumentVersion = z.output<typeof DocumentVersion>;

export const listDocVersions = operation("list_doc_versions", {
  summary: "List the document's versions, newest first: who wrote each, and when.",
  // Not listed over stdio, because agents can read any version with `read_session_doc`.
  unlistedOverStdio: true,
  unlisted: ["team"],
  input: z.strictObject({
    ...inSession,
    before_version: Version.optional().meta({ description: "Only older versions." }),
    team: StorableText.min(1).max(limits.nameCharsMax).optional().meta({
      description: "Only versions that this team wrote.",
    }),
    limit: z.int().min(1).max(limits.versionsPageMax).default(limits.versionsPageDefault),
    ...asTeam,
  }),
  output: z.object({ versions: z.array(DocumentVersion), has_more: z.boolean() }),
  errors: ["unauthorized", "not_found"],
  compact: ({ versions, has_more }) =>
    joinLines(
      ...versions.map(
        (v) =>
          `v${v.version} ${formatInlineName(v.written_by)} ${formatMessageTime(v.written_at)} ${v.redaction ? describeRedaction(v.redaction) : `${v.bytes} bytes`}`,
      ),
      versions.length === 0 && "never written",
      has_more && "more: before_version",
    ),
});
