import * as z from "zod";
import { limits } from "../../core/limits.js";
import {
  asTeam,
  inSession,
  lineOfChars,
  Reason,
  retryable,
  StorableText,
  TaskNumber,
  Timestamp,
} from "../../core/values.js";
import { formatMessageTime } from "../../feed/compact.js";
import { describeOperations } from "../../operations/operation.js";
import { SessionSettings } from "../../operations/settings.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { describeScopeProblem, isFileScope, normaliseScope, toFileScope } from "../../text/scope.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

function scopeOf(normalise: (text: string) => string) {
  return StorableText.overwrite(normalise)
    .pipe(lineOfChars(limits.scopeCharsMax))
    .superRefine((scope, ctx) => {
      const problem = describeScopeProblem(scope);
      if (problem !== null) ctx.addIssue({ code: "custom", message: `must not be claimed: ${problem}` });
    });
}

const Scope = scopeOf(normaliseScope).meta({
  description: "src/auth/** (a path in the repository), issue:#12, or a name such as deploy.",
});

/** A file or a pattern for files, which is a path even if it is a single word (CLAIM-1). */
export const FileScope = scopeOf(toFileScope);

export const Repository = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .meta({
    description: "A keyed hash of the repository that files are in (CLAIM-7); left out, any repository.",
  });

/** A scope that a peer has claimed (CLAIM-1). */
export const ScopeClaim = z
  .object({
    claim: z.int().meta({ description: "Its number in the session." }),
    scope: z.string(),
    read_as: z
      .enum(["files", "name"])
      .meta({ description: "Files of a repository, or a name for anything else." }),
    repository: Repository.nullable().meta({ description: "Null: a name, or files of any repository." }),
    shared: z.boolean(),
    holder: z.string(),
    mine: z.boolean(),
    reason: z.string().nullable(),
    claimed_at: Timestamp,
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: "ScopeClaim" });
export type ScopeClaim = z.output<typeof ScopeClaim>;

export const claimScope = operation("claim", {
  summary:
    'Claim files or a named thing before you change it, such as "src/auth/**", "issue:#12" or "deploy". Fails with a conflict that names the holder if another claim overlaps.',
  unlisted: ["ttl", "repository"],
  input: z.strictObject({
    ...inSession,
    scope: Scope,
    repository: Repository.optional(),
    shared: z.boolean().default(false).meta({ description: "Others can claim it too." }),
    reason: Reason.optional(),
    ttl: z.int().min(limits.claimSecondsMin).max(limits.claimSecondsMax).optional().meta({
      description: "Seconds until it expires (default: while you are connected).",
    }),
    ...asTeam,
    ...retryable,
  }),
  output: ScopeClaim,
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ scope, repository, shared }) =>
    `claimed ${formatInlineName(scope)}${shared ? ", shared" : ""}: ${describeReading(scope, repository)}`,
});

/** States how a scope was interpreted, so that the claimer immediately notices a misunderstanding. */
function describeReading(scope: string, repository: string | null): string {
  if (!isFileScope(scope)) return "a name, not a file; claim files by their path, such as src/auth/**";
  return repository ? "files of this repository, in all its worktrees" : "files of any repository";
}

export const releaseClaim = operation("release", {
  summary: "Release a scope that you have claimed, or a task that you cannot do.",
  unlisted: ["claim"],
  input: z
    .strictObject({
      ...inSession,
      scope: Scope.optional(),
      task: TaskNumber.optional(),
      claim: z.int().min(1).optional().meta({ description: "Claim number; humans can release anyone's." }),
      reason: Reason.optional(),
      ...asTeam,
      ...retryable,
    })
    .refine(
      ({ scope, task, claim }) => [scope, task, claim].filter((each) => each !== undefined).length === 1,
      { error: "name a scope, a task or a claim, and only one of them" },
    ),
  output: z.object({ released: z.string() }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ released }) => `released ${formatInlineName(released)}`,
});

export const listClaims = operation("list_claims", {
  summary: "List what is claimed in the session, by whom and since when.",
  unlistedOverStdio: true,
  input: z.strictObject({ ...inSession, ...asTeam }),
  output: z.object({
    claims: z.array(ScopeClaim),
    edits: SessionSettings.shape.claims.meta({
      description: "What hooks do when an agent edits a file that another has claimed.",
    }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ claims }) => joinLines(...claims.map(compactClaim), claims.length === 0 && "no claims"),
});

function compactClaim({ scope, shared, holder, reason, claimed_at, expires_at }: ScopeClaim): string {
  const facts = [
    formatInlineName(holder),
    shared && "shared",
    `since ${formatMessageTime(claimed_at)}`,
    expires_at && `until ${formatMessageTime(expires_at)}`,
  ].filter(Boolean);
  return `- ${formatInlineName(scope)} ${facts.join(", ")}${reason === null ? "" : `: ${reason}`}`;
}
