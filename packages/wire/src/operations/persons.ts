import * as z from "zod";
import { nameInLine } from "../compact.js";
import { operation } from "../operation.js";
import { asTeam, PersonCredential, PersonName, retryable, StorableText, Timestamp, Uuid } from "../values.js";

const Verified = z.boolean().meta({
  description: "Whether it has shown to be who runs the broker, or is a member; if not it is a guest.",
});

const VerificationCode = StorableText.min(1)
  .max(200)
  .meta({ description: "Of a link that the broker's terminal printed; good once." });

export const createPerson = operation({
  name: "create_person",
  toolset: "admin",
  summary:
    "Make a person: a human who reads and writes in the sessions of this mesh. Keep the person_id that comes back: it is that person's " +
    "credential, given wherever a team's is. Agents need none: they create_session or join_session.",
  access: "open",
  route: "POST /api/persons",
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
  kind: "call",
  readOnly: false,
  afterClosing: "allowed",
  rate: "create",
  compact: ({ person_id, name }, { keeper }) =>
    `person ${nameInLine(name)} is here. ${keeper === "caller" ? `person_id ${person_id}` : `team_id ${person_id.split(".")[0]} speaks as this person`}`,
});

export const getPerson = operation({
  name: "get_person",
  toolset: "admin",
  summary: "Read whose credential this is.",
  access: "team",
  route: "GET /api/person",
  unlisted: true,
  human: "person",
  input: z.strictObject({ ...asTeam }),
  output: z.object({
    person_id: Uuid.meta({ description: "Public; it authorises nothing." }),
    name: z.string(),
    created_at: Timestamp,
    verified: Verified,
  }),
  errors: ["unauthorized", "forbidden"],
  kind: "call",
  readOnly: true,
  afterClosing: "allowed",
  rate: "read",
  compact: ({ name }) => `person ${nameInLine(name)}`,
});

export const createVerificationCode = operation({
  name: "create_verification_code",
  toolset: "admin",
  summary: "Make a link that verifies one person, with the key that the broker keeps in its Merkle home.",
  access: "open",
  route: "POST /api/verification-codes",
  unlisted: true,
  human: "verifying",
  input: z.strictObject({ home_key: StorableText.min(1).max(200), ...retryable }),
  output: z.object({ code: z.string(), link: z.string(), expires_at: Timestamp }),
  errors: ["forbidden"],
  kind: "call",
  readOnly: false,
  afterClosing: "allowed",
  rate: "create",
  compact: ({ link }) => `link ${link}`,
});

export const verifyPerson = operation({
  name: "verify_person",
  toolset: "admin",
  summary: "Make a guest a verified person, with the code of a link that the broker's terminal printed.",
  access: "team",
  route: "POST /api/person/verify",
  unlisted: true,
  human: "verifying",
  input: z.strictObject({ code: VerificationCode, ...asTeam, ...retryable }),
  output: z.object({ name: z.string(), verified: z.literal(true) }),
  errors: ["unauthorized", "forbidden"],
  kind: "call",
  readOnly: false,
  afterClosing: "allowed",
  rate: "write",
  compact: ({ name }) => `verified ${nameInLine(name)}`,
});

export const renamePerson = operation({
  name: "rename_person",
  toolset: "admin",
  summary: "Change a person's name. Sessions that the person is in keep the name it came with.",
  access: "team",
  route: "PATCH /api/person",
  unlisted: true,
  human: "person",
  input: z.strictObject({ name: PersonName, ...asTeam, ...retryable }),
  output: z.object({ name: z.string() }),
  errors: ["unauthorized", "forbidden"],
  kind: "call",
  readOnly: false,
  afterClosing: "allowed",
  rate: "write",
  compact: ({ name }) => `person ${nameInLine(name)}`,
});
