import * as z from "zod";
import { limits } from "../../core/limits.js";
import { asTeam, lineOfChars, retryable, Timestamp, textOfBytes } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/**
 * Name of a persona. Case-insensitive. Routes contain the name, so it has no characters that are special in
 * paths.
 */
export const PersonaName = lineOfChars(limits.nameCharsMax)
  .refine((name) => /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '’_.-]*$/u.test(name), {
    error: "must begin with a letter or digit, and contain only letters, digits, spaces and ' _ . -",
  })
  .meta({ examples: ["Sceptic"] });

/** Hash of a persona, in lower-case hexadecimal. */
export const PersonaHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: "must be the 64 hexadecimal digits that get_persona gave as its hash" })
  .meta({ description: "SHA-256 of the canonical JSON of its name and prompt." });

export const Persona = z
  .object({
    name: z.string(),
    prompt: z.string().meta({ description: "Instructions for the agent that reads." }),
    hash: PersonaHash,
    version: z.int().meta({ description: "1 when new, +1 on every write." }),
    retired: z.boolean().meta({ description: "Whether it is retired." }),
    updated_by: z
      .string()
      .nullable()
      .meta({ description: "Null for a built-in persona that was never changed." }),
    updated_at: Timestamp,
  })
  .meta({ id: "Persona" });
export type Persona = z.output<typeof Persona>;

export const listPersonas = operation("list_personas", {
  summary: "List the personas of the mesh: named reviewers for perspective jobs.",
  unlisted: true,
  input: z.strictObject({
    retired: z.boolean().default(false).meta({ description: "Include retired personas." }),
    ...asTeam,
  }),
  output: z.object({ personas: z.array(Persona) }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ personas }) =>
    joinLines(
      ...personas.map(
        ({ name, retired, prompt }) =>
          `- ${formatInlineName(name)}${retired ? " (retired)" : ""}: ${prompt.split("\n", 1)[0] ?? ""}`,
      ),
      personas.length === 0 && "no personas",
    ),
});

export const getPersona = operation("get_persona", {
  summary:
    "Read a persona's instructions. The agent of a perspective job reads its own, and returns its hash.",
  unlisted: true,
  input: z.strictObject({ name: PersonaName, ...asTeam }),
  output: Persona,
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ name, prompt, hash }) => `persona ${formatInlineName(name)}, hash ${hash}:\n  ${prompt}`,
});

export const putPersona = operation("put_persona", {
  summary: "Create (expected_version 0), change, retire or restore a persona of the mesh. Humans only.",
  unlisted: true,
  input: z.strictObject({
    name: PersonaName,
    prompt: textOfBytes(limits.personaPromptBytesMax).refine((text) => text.trim() !== "", {
      error: "must not be blank; to remove a persona, retire it",
    }),
    retired: z.boolean().default(false),
    expected_version: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .meta({ description: "The version that you read; 0 when new." }),
    ...asTeam,
    ...retryable,
  }),
  output: Persona,
  errors: ["unauthorized", "forbidden", "conflict"],
  compact: ({ name, version, retired }) =>
    `persona ${formatInlineName(name)} v${version}${retired ? ", retired" : ""}`,
});
