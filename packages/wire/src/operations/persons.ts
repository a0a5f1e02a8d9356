import * as z from "zod";
import {
  asTeam,
  PersonCredential,
  PersonName,
  retryable,
  StorableText,
  Timestamp,
  Uuid,
} from "../core/values.js";
import { formatInlineName, joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";

const Verified = z.boolean().meta({
  description: "Whether it has proved to run the broker, or is a member; otherwise it is a guest.",
});

const VerificationCode = StorableText.min(1)
  .max(200)
  .meta({ description: "Code of a link that the broker's terminal printed; valid once." });

export const createPerson = operation("create_person", {
  summary:
    "Create a person: a human who can read and write in this mesh's sessions. Keep the returned person_id: it is the person's " +
    "credential, valid wherever a team's is. Agents do not need one: they use create_session or join_session.",
  unlisted: ["code"],
  input: z.strictObject({
    name: PersonName.meta({ description: "The person's name in sessions." }),
    code: VerificationCode.optional(),
    ...retryable,
  }),
  output: z.object({
    person_id: PersonCredential,
    name: z.string(),
    verified: Verified,
  }),
  errors: ["forbidden", "conflict"],
  compact: ({ person_id, name }, { credentialHolder }) =>
    `person ${formatInlineName(name)} is here. ${credentialHolder === "caller" ? `person_id ${person_id}` : `team_id ${person_id.split(".")[0]} speaks as this person`}`,
});

export const getPerson = operation("get_person", {
  summary: "Read which person a credential belongs to.",
  unlisted: true,
  input: z.strictObject({ ...asTeam }),
  output: z.object({
    person_id: Uuid.meta({ description: "Public; it authorises nothing." }),
    name: z.string(),
    created_at: Timestamp,
    verified: Verified,
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ name }) => `person ${formatInlineName(name)}`,
});

export const createVerificationCode = operation("create_verification_code", {
  summary: "Create a link that verifies one person, with the key in the broker's Merkle home.",
  unlisted: true,
  input: z.strictObject({ home_key: StorableText.min(1).max(200), ...retryable }),
  output: z.object({ code: z.string(), link: z.string(), expires_at: Timestamp }),
  errors: ["forbidden"],
  compact: ({ link }) => `link ${link}`,
});

export const verifyPerson = operation("verify_person", {
  summary: "Make a guest a verified person, with the code of a link that the broker's terminal printed.",
  unlisted: true,
  input: z.strictObject({ code: VerificationCode, ...asTeam, ...retryable }),
  output: z.object({ name: z.string(), verified: z.literal(true) }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ name }) => `verified ${formatInlineName(name)}`,
});

export const renamePerson = operation("rename_person", {
  summary: "Change a person's name. Sessions that the person has already joined keep the earlier name.",
  unlisted: true,
  input: z.strictObject({ name: PersonName, ...asTeam, ...retryable }),
  output: z.object({ name: z.string() }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ name }) => `person ${formatInlineName(name)}`,
});

/** Another person, given by name, or by id if several people have the same name. */
const OtherPerson = StorableText.min(1)
  .max(200)
  .meta({ description: "Name or id of the person; the id if several share the name (default: yourself)." });

export const exportPerson = operation("export_person", {
  summary:
    "Read everything stored about a person, in all sessions, in pages. Only admins can read another person's data.",
  unlisted: true,
  input: z.strictObject({
    person: OtherPerson.optional(),
    after: StorableText.max(100).optional().meta({ description: "next of the previous page." }),
    ...asTeam,
  }),
  output: z.object({
    person_id: Uuid,
    name: z.string(),
    rows: z
      .array(z.object({ kind: z.string(), row: z.record(z.string(), z.unknown()) }))
      .meta({ description: "Stored rows, each with its kind: profile, token, message, …" }),
    next: z.string().nullable().meta({ description: "Where the next page begins; null at the end." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found", "conflict"],
  compact: ({ name, rows, next }) =>
    joinLines(
      `${rows.length} rows of ${formatInlineName(name)}`,
      next !== null && `continue with after: ${next}`,
    ),
});

export const erasePerson = operation("erase_person", {
  summary:
    "Permanently remove a person: texts as with redact_message, then name, devices, tokens, alerts and usage. Only admins can remove another person.",
  unlisted: true,
  input: z.strictObject({
    person: OtherPerson.optional(),
    confirm: StorableText.min(1)
      .max(200)
      .meta({ description: "The person's name or id again, as confirmation." }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({
    person_id: Uuid,
    redacted: z.int().meta({ description: "Texts that this call removed from feeds and documents." }),
    done: z
      .boolean()
      .meta({ description: "False when there are more texts than one call removes: call again." }),
    kept: z
      .array(z.object({ session: z.string(), what: z.string() }))
      .meta({ description: "Texts that cannot be removed yet, and why." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found", "conflict"],
  compact: ({ redacted, done, kept }) =>
    joinLines(
      `${redacted} texts removed`,
      done ? "erased" : "there are more: call it again",
      ...kept.map(({ session, what }) => `kept in ${session}: ${what}`),
    ),
});
