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
import { nameInLine } from "../text/neutralise.js";
import { operation } from "./operation.js";

const Verified = z.boolean().meta({
  description: "Whether it has shown to be who runs the broker, or is a member; if not it is a guest.",
});

const VerificationCode = StorableText.min(1)
  .max(200)
  .meta({ description: "Of a link that the broker's terminal printed; good once." });

export const createPerson = operation("create_person", {
  summary:
    "Make a person: a human who reads and writes in the sessions of this mesh. Keep the person_id that comes back: it is that person's " +
    "credential, given wherever a team's is. Agents need none: they create_session or join_session.",
  unlisted: ["code"],
  input: z.strictObject({
    name: PersonName.meta({ description: "What the person is called in sessions." }),
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
    `person ${nameInLine(name)} is here. ${credentialHolder === "caller" ? `person_id ${person_id}` : `team_id ${person_id.split(".")[0]} speaks as this person`}`,
});

export const getPerson = operation("get_person", {
  summary: "Read whose credential this is.",
  unlisted: true,
  input: z.strictObject({ ...asTeam }),
  output: z.object({
    person_id: Uuid.meta({ description: "Public; it authorises nothing." }),
    name: z.string(),
    created_at: Timestamp,
    verified: Verified,
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ name }) => `person ${nameInLine(name)}`,
});

export const createVerificationCode = operation("create_verification_code", {
  summary: "Make a link that verifies one person, with the key that the broker keeps in its Merkle home.",
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
  compact: ({ name }) => `verified ${nameInLine(name)}`,
});

export const renamePerson = operation("rename_person", {
  summary: "Change a person's name. Sessions that the person is in keep the name it came with.",
  unlisted: true,
  input: z.strictObject({ name: PersonName, ...asTeam, ...retryable }),
  output: z.object({ name: z.string() }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ name }) => `person ${nameInLine(name)}`,
});
