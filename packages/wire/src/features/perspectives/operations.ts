import * as z from "zod";
import { limits } from "../../core/limits.js";
import {
  asTeam,
  inSession,
  retryable,
  SourceHash,
  SourcePath,
  Timestamp,
  textOfBytes,
  Version,
} from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { PersonaHash, PersonaName } from "../personas/operations.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const PerspectiveId = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)
  .meta({ description: "The perspective's number in its mesh." });

/** A persona's reading of a document or file, without the reading's content. */
export const Perspective = z
  .object({
    perspective_id: PerspectiveId,
    persona_name: z.string(),
    source_version: Version.nullable().meta({ description: "The version of the document that was read." }),
    source_hash: z.string().meta({ description: "Hash of the text that was read." }),
    persona_hash: PersonaHash,
    job_id: z.int(),
    made_at: Timestamp,
    stale: z.boolean().meta({ description: "Whether the source or the persona has changed since." }),
    stale_because: z.array(z.enum(["source", "persona"])).meta({ description: "Which of them changed." }),
  })
  .meta({ id: "Perspective" });
export type Perspective = z.output<typeof Perspective>;

export const listPerspectives = operation("list_perspectives", {
  summary: "List the newest perspective of each persona on a session's document, without their texts.",
  unlisted: true,
  input: z.strictObject({ ...inSession, ...asTeam }),
  output: z.object({
    perspectives: z.array(Perspective),
    document_version: Version.meta({ description: "The document's version now." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ perspectives }) =>
    joinLines(...perspectives.map(compactPerspective), perspectives.length === 0 && "no perspectives"),
});

export const getPerspective = operation("get_perspective", {
  summary:
    "Read a persona's review of a session's document, and whether it is stale. To create a new one, use start_job.",
  input: z.strictObject({ ...inSession, persona_name: PersonaName, ...asTeam }),
  output: Perspective.extend({
    content: z.string().meta({ description: "Markdown." }),
    document_version: Version.meta({ description: "The document's version now." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: (perspective) => `${compactPerspective(perspective)}:\n  ${perspective.content}`,
});

export const listSourcePerspectives = operation("list_source_perspectives", {
  summary: "List the newest perspective of each persona on a file, without their texts.",
  unlisted: true,
  input: z.strictObject({ source_path: SourcePath, ...asTeam }),
  output: z.object({
    perspectives: z.array(Perspective),
    source_sha: z.string().meta({ description: "The hash of the file's text now." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ perspectives }) =>
    joinLines(...perspectives.map(compactPerspective), perspectives.length === 0 && "no perspectives"),
});

export const getSourcePerspective = operation("get_source_perspective", {
  summary: "Read a persona's review of a file, and whether it is stale.",
  unlisted: true,
  input: z.strictObject({ source_path: SourcePath, persona_name: PersonaName, ...asTeam }),
  output: Perspective.extend({
    content: z.string().meta({ description: "Markdown." }),
    source_sha: z.string().meta({ description: "The hash of the file's text now." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: (perspective) => `${compactPerspective(perspective)}:\n  ${perspective.content}`,
});

export const putPerspective = operation("put_perspective", {
  summary: "Submit a persona's review. Only for the agent of a perspective job, once.",
  unlisted: true,
  input: z
    .strictObject({
      source_version: Version.optional().meta({ description: "The version of the document that was read." }),
      source_sha: SourceHash.optional().meta({ description: "Hash of the file that was read." }),
      persona_sha: PersonaHash.meta({ description: "The hash of the persona, as get_persona gave it." }),
      content: textOfBytes(limits.perspectiveBytesMax).refine((text) => text.trim() !== "", {
        error: "must not be blank",
      }),
      ...retryable,
    })
    .refine((input) => (input.source_version === undefined) !== (input.source_sha === undefined), {
      error: "name source_version of a document, or source_sha of a file",
    }),
  output: z.object({ perspective_id: PerspectiveId }),
  errors: ["forbidden", "not_found", "conflict"],
  compact: ({ perspective_id }) => `perspective ${perspective_id} written`,
});

function compactPerspective(perspective: Perspective): string {
  const { persona_name, source_version, made_at, stale_because } = perspective;
  const stale = stale_because.length === 0 ? "" : `, stale: the ${stale_because.join(" and ")} changed since`;
  const read = source_version === null ? "" : ` of v${source_version}`;
  return `perspective ${perspective.perspective_id} as ${formatInlineName(persona_name)}${read}, made ${made_at}${stale}`;
}
