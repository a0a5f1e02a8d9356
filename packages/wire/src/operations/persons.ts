import * as z from "zod";
import { nameInLine } from "../compact.js";
import { operation } from "../operation.js";
import { asTeam, PersonCredential, PersonName, retryable, Timestamp, Uuid } from "../values.js";

export const createPerson = operation({
  name: "create_person",
  toolset: "admin",
  summary:
    "Make a person: a human who reads and writes in the sessions of this mesh. Keep the person_id that comes back: it is that person's " +
    "credential, given wherever a team's is. Agents need none: they create_session or join_session.",
  access: "open",
  route: "POST /api/persons",
  input: z.strictObject({
    name: PersonName.meta({ description: "What the person is called in sessions." }),
    ...retryable,
  }),
  output: z.object({ person_id: PersonCredential, name: z.string() }),
  errors: ["conflict"],
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
  input: z.strictObject({ ...asTeam }),
  output: z.object({
    person_id: Uuid.meta({ description: "Public; it authorises nothing." }),
    name: z.string(),
    created_at: Timestamp,
  }),
  errors: ["unauthorized", "forbidden"],
  kind: "call",
  readOnly: true,
  afterClosing: "allowed",
  rate: "read",
  compact: ({ name }) => `person ${nameInLine(name)}`,
});

export const renamePerson = operation({
  name: "rename_person",
  toolset: "admin",
  summary: "Change a person's name. Sessions that the person is in keep the name it came with.",
  access: "team",
  route: "PATCH /api/person",
  unlisted: true,
  input: z.strictObject({ name: PersonName, ...asTeam, ...retryable }),
  output: z.object({ name: z.string() }),
  errors: ["unauthorized", "forbidden"],
  kind: "call",
  readOnly: false,
  afterClosing: "allowed",
  rate: "write",
  compact: ({ name }) => `person ${nameInLine(name)}`,
});
