import * as z from "zod";
import { limits } from "./limits.js";
import { describeDeception, describeNewNameDeception, normaliseName } from "./names.js";
import { parseInstant } from "./parse-instant.js";
import { parseSourcePath } from "./source-path.js";
import { countUtf8Bytes, isStorable } from "./utf8.js";
import { isUuid } from "./uuid.js";

/**
 * The types of the fields in operations' inputs and outputs. Later code relies on these checks and does not
 * repeat them.
 */

const notStorable = { error: "must not contain NUL characters or lone surrogates" };

/** Text that can be stored and returned unchanged. */
export const StorableText = z.string().refine(isStorable, notStorable);

/**
 * Creates a type for text of at most `max` UTF-8 bytes. Longer text is refused with status 413, other invalid
 * input with 400.
 */
export function textOfBytes(max: number) {
  // A UTF-16 unit needs at most three bytes in UTF-8, so most strings need not be measured. If a string is
  // too long, no further checks run.
  return z
    .string()
    .refine((text) => text.length * 3 <= max || (text.length <= max && countUtf8Bytes(text) <= max), {
      error: (issue) =>
        `must be at most ${max} bytes in UTF-8, got ${typeof issue.input === "string" ? countUtf8Bytes(issue.input) : 0}`,
      params: { tooLarge: true, bytesMax: max },
      abort: true,
    })
    .refine(isStorable, notStorable);
}

/**
 * Creates a type for a single line, such as a name or title. It is trimmed, not blank and has no control
 * characters.
 */
export function lineOfChars(max: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/[\p{Cc}\p{Surrogate}\u2028\u2029]/u.test(text), {
      error: ({ input }) =>
        isStorable(String(input)) ? "must be one line without control characters" : notStorable.error,
    });
}

export const Uuid = z.guid().toLowerCase().meta({ description: "A uuid." });

export const SessionRef = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: "The session's id or slug.", examples: ["auth-refactor"] });

export const Sequence = z.int().min(0).meta({ description: "The number of a message in its feed, or 0." });

export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ description: "UTC, with milliseconds." });

/**
 * Creates a type for a date or time written by a caller. A date stands for its first or last millisecond in
 * UTC. A time may have any form of RFC 3339. Handlers receive a `Timestamp`.
 */
export function instantOf(end: "from" | "to") {
  return z.string().transform((text, ctx) => {
    const instant = parseInstant(text);
    if (instant !== null) return new Date(instant[end]).toISOString();
    ctx.issues.push({
      code: "custom",
      input: text,
      message: "must be a date or time such as 2026-05-02 or 2026-05-02T14:05:00+02:00",
    });
    return z.NEVER;
  });
}

/** A name that cannot be mistaken for another name (NAME-1). */
export const Name = StorableText.overwrite(normaliseName)
  .min(1)
  .max(limits.nameCharsMax)
  .superRefine((name, ctx) => {
    const problem = describeDeception(name);
    if (problem !== null) ctx.addIssue({ code: "custom", message: `must not ${problem}` });
  });
/** A name that is chosen in this call. Existing names are checked less strictly (NAME-4). */
const NewName = Name.superRefine((name, ctx) => {
  const problem = describeNewNameDeception(name);
  if (problem !== null && describeDeception(name) === null)
    ctx.addIssue({ code: "custom", message: `must not ${problem}` });
});
export const TeamName = Name.meta({ examples: ["Alex's Team"] });
export const NewTeamName = NewName.meta({ examples: ["Alex's Team"] });
/**
 * Kind of a team: `agent` for a team of agents, `human` for a verified person's team, `guest` for the team of
 * a person who is not verified (PERSON-10).
 */
export const TeamKind = z.enum(["agent", "human", "guest"]);
/** A person's name. The person's teams have the same name, so the same limit applies. */
export const PersonName = NewName.meta({ examples: ["Ana"] });
/**
 * Name of a peer. A recipient is written as a peer's name or as `team/peer`, so the name contains no slash
 * and does not begin like a group's.
 */
export const PeerName = Name.refine((name) => !/^[@*]|\//.test(name), {
  error: 'must not begin with "@" or "*", and must not contain "/"',
}).meta({ examples: ["atlas"] });
/** Name of a group, such as `backend`, or `backend/db` for a group within another one. Case-insensitive. */
export const GroupName = z
  .string()
  .trim()
  .max(limits.nameCharsMax)
  .transform((name) => name.replace(/^@/, ""))
  .pipe(
    z.string().regex(/^[\p{L}\p{N}_.-]+(?:\/[\p{L}\p{N}_.-]+)*$/u, {
      error: "must be letters, digits, _ . and -, with / between a group and one within it",
    }),
  );
/** Name of a group that peers can join. The broker's own groups are excluded. */
export const JoinedGroup = GroupName.refine((name) => !["all", "humans"].includes(name.toLowerCase()), {
  error: "@all is everyone and @humans is every human, and neither can be joined: choose another name",
});
/** Role of a peer, in general or within a group. The broker does not interpret this text. */
export const RoleName = lineOfChars(limits.nameCharsMax);
/** A group membership as text: `backend`, or `backend:lead` with a role. */
export const GroupAndRole = z
  .string()
  .transform((text): { name: string; role?: string | undefined } => {
    const colon = text.indexOf(":");
    return colon < 0 ? { name: text } : { name: text.slice(0, colon), role: text.slice(colon + 1) };
  })
  .pipe(z.object({ name: JoinedGroup, role: RoleName.optional() }))
  .meta({ description: "`group` or `group:role`." });
export const Title = lineOfChars(limits.titleCharsMax);
export const Description = StorableText.max(limits.descriptionCharsMax);
export const Reason = StorableText.trim().min(1).max(limits.reasonCharsMax);
export const Slug = z
  .string()
  .max(limits.slugCharsMax)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, {
    error: "must be lower-case letters and digits, joined by single hyphens",
  })
  .refine((slug) => !isUuid(slug), { error: "must not look like a uuid" });

/** Path of a file under one of the broker's roots, as `<root>/<path>`. */
export const SourcePath = z
  .string()
  .refine((text) => parseSourcePath(text) !== null, {
    error: "must be <root>/<path> of a file, without links, options or .git",
  })
  .meta({ description: "A file: the name of a root and the path in it.", examples: ["docs/guide.md"] });
/** Returns true if the input names exactly one source, either a session's document or a file. */
export function isOneSource(input: { session_id?: unknown; source_path?: unknown }): boolean {
  return (input.session_id === undefined) !== (input.source_path === undefined);
}
export const oneSource = {
  error: "is required, or source_path for a file, but not both",
  path: ["session_id"],
};
export const SourceHash = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, { error: "must be a Git hash, as read_source returns it" })
  .meta({ description: "Git's hash of the file's text." });

export const DocumentText = textOfBytes(limits.documentBytesMax);
export const Version = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .meta({ description: "The document's version: 0 when new, +1 on every write." });

export const Epoch = Uuid.meta({
  description: "Identifies the database's history; changes after a restore.",
});

export const IdempotencyKey = lineOfChars(limits.idempotencyKeyCharsMax).meta({
  description: "Any unique text, such as a uuid. For 24 hours the same key returns the first result.",
});

/** Credential of a team: `<uuid>.mk_<secret>`. The secret is 256 random bits in base64url (AUTH-1). */
export const TeamCredential = z
  .string()
  .meta({ description: "Your team's credential, as create_session or join_session gave it." });

/**
 * Credential of a person. Like a team's credential, but with the person's uuid (PERSON-1). Accepted wherever
 * a team's credential is accepted.
 */
export const PersonCredential = z
  .string()
  .meta({ description: "The person's credential: pass it as team_id, or in the header X-Team-ID." });

/**
 * Credential of a peer. Like a team's credential, but with the peer's uuid (PEER-2). Accepted wherever a
 * team's credential is accepted.
 */
export const PeerCredential = z
  .string()
  .meta({ description: "The peer's credential: pass it as team_id, or in the header X-Team-ID." });

/** Fields that several inputs share by spreading this object. */
export const inSession = { session_id: SessionRef };
export const asTeam = { team_id: TeamCredential.optional() };
export const retryable = { idempotency_key: IdempotencyKey.optional() };
export const inEpoch = {
  epoch: Epoch.optional().meta({
    description: "The epoch of your cursor; any other fails with `resync`.",
  }),
};

/** Id of a memory. It contains the memory's number within the mesh. */
export const MemoryId = z
  .string()
  .regex(/^mem_[1-9]\d{0,14}$/, { error: "must be such as mem_31" })
  .meta({ examples: ["mem_31"] });

/** Number of a task within its session. */
export const TaskNumber = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)
  .meta({ description: "The task's number." });
