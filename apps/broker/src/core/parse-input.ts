import { isObject, MerkleError, type Operation } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { describeIssue, inputRefused, listUsefulFields } from "@merkle/wire/schemas";
import type * as z from "zod";
import { parseQuickly } from "./quick-parse.js";

/** The fields of an input before validation. */
export type RawInput = Readonly<Record<string, unknown>>;

/** @throws bad_request if the input is not an object */
export function requireObject(operation: Operation, input: unknown): RawInput {
  if (input === undefined) return {};
  if (isObject(input)) return input;
  throw new MerkleError(
    "bad_request",
    `The input is not valid: expected a JSON object, got ${describeType(input)}.`,
    { accepted_fields: listUsefulFields(operation) },
  );
}

/**
 * Validates an input by its operation's schema and applies defaults. Later code does not validate it again.
 *
 * @param proved - whether the caller sent a valid credential; idempotency keys then belong to that credential
 * @throws bad_request with every invalid field, or payload_too_large if a string exceeds its limit
 */
export function parseInput(
  operation: Operation,
  raw: RawInput,
  { isProved }: { isProved: boolean },
): Readonly<Record<string, unknown>> {
  const input = parseQuickly(operation.input, raw) ?? parseBySchema(operation, raw);
  if (!isProved) refuseGuessableKey(input);
  return input;
}

function parseBySchema(operation: Operation, raw: RawInput): Readonly<Record<string, unknown>> {
  refuseManyUnknownFields(operation, raw);
  const parsed = operation.input.safeParse(raw, { error: describeIssue });
  if (!parsed.success) throw describeIssues(operation, parsed.error.issues);
  return parsed.data;
}

/** Maximum number of unknown fields listed in an error. No ordinary mistake causes more (CAT-5). */
const unknownFieldsMax = 16;

function refuseManyUnknownFields(operation: Operation, raw: RawInput): void {
  const fields = Object.keys(raw);
  if (fields.length <= unknownFieldsMax) return;
  const unknown = fields.filter((field) => !Object.hasOwn(operation.input.shape, field));
  if (unknown.length <= unknownFieldsMax) return;
  const first = unknown.slice(0, 3).map((field) => JSON.stringify(field.slice(0, 40)));
  const problem = `unknown fields ${first.join(", ")} and ${unknown.length - first.length} more`;
  throw inputRefused([{ field: "", problem }], { fields: listUsefulFields(operation) });
}

/** The error quotes the name of an unknown field, which may have any length. */
const problemCharsMax = 200;

function describeIssues(operation: Operation, issues: readonly z.core.$ZodIssue[]): MerkleError {
  const problems = issues
    .slice(0, 10)
    .map((issue) => ({ field: issue.path.join("."), problem: issue.message.slice(0, problemCharsMax) }));
  const isTooLarge = issues.some((issue) => issue.code === "custom" && issue.params?.["tooLarge"] === true);
  return inputRefused(problems, { fields: listUsefulFields(operation), tooLarge: isTooLarge });
}

/**
 * Refuses a key that could be guessed: anyone who repeats a call without a credential gets its result, which may be a
 * credential (IDEM-7).
 */
function refuseGuessableKey(input: RawInput): void {
  const key = input["idempotency_key"];
  if (typeof key !== "string") return;
  if (key.length >= limits.anonymousIdempotencyKeyCharsMin) return;
  throw new MerkleError(
    "bad_request",
    `Without a credential, idempotency_key must have at least ${limits.anonymousIdempotencyKeyCharsMin} characters, because anyone who repeats the key gets the same result. Use a uuid.`,
    { fields: [{ field: "idempotency_key", problem: "too short to be secret" }] },
  );
}

function describeType(input: unknown): string {
  if (input === null) return "null";
  return Array.isArray(input) ? "a list" : `a ${typeof input}`;
}
