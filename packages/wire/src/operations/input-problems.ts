import type * as z from "zod";
import { MerkleError } from "../core/errors.js";
import { findNearest } from "../text/nearest.js";
import type { Operation } from "./operation.js";

/**
 * An invalid field in a call's input. `problem` is worded for a model, which does not know the validation
 * library.
 */
export interface InputProblem {
  readonly field: string;
  readonly problem: string;
}

/**
 * Creates the error for an invalid input. Its message describes the problems, and its details list the
 * accepted fields (CAT-9).
 *
 * @param fields - the accepted fields that are useful to the caller
 */
export function inputRefused(
  problems: readonly InputProblem[],
  { fields, tooLarge = false }: { fields?: readonly string[]; tooLarge?: boolean } = {},
): MerkleError {
  const sentences = problems.map(({ field, problem }) => (field === "" ? problem : `${field}: ${problem}`));
  return new MerkleError(
    tooLarge ? "payload_too_large" : "bad_request",
    `The input is not valid: ${sentences.join("; ")}.`,
    { fields: problems, ...(fields && { accepted_fields: fields }) },
  );
}

/**
 * Input fields that all operations share or that a transport adds. They never explain why an input is
 * invalid.
 */
const common: readonly string[] = ["team_id", "idempotency_key", "epoch"];

/** Returns the input fields of an operation that may help a caller after an invalid input. */
export function listUsefulFields({ input, unlisted }: Pick<Operation, "input" | "unlisted">): string[] {
  const hidden = Array.isArray(unlisted) ? [...common, ...unlisted] : common;
  return Object.keys(input.shape).filter((name) => !hidden.includes(name));
}

/**
 * Describes what is wrong with a value, if its schema has no message for that. Pass this function to zod as
 * the `error` option of a parse.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type": {
      const expected = describeType(issue.expected, issue.inst);
      return issue.input === undefined
        ? `is missing; expected ${expected}`
        : `must be ${expected}, got ${describeValueType(issue.input)}`;
    }
    case "too_small":
      return describeBound(issue.origin, "least", Number(issue.minimum));
    case "too_big":
      return describeBound(issue.origin, "most", Number(issue.maximum));
    case "unrecognized_keys":
      return issue.keys.map((key) => describeUnknownField(key, findShape(issue.inst))).join(", ");
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "invalid_union":
      return `must be ${describeUnion(issue.errors)}`;
    case "invalid_format":
      return issue.format in forms ? `must be ${forms[issue.format]}` : "has an invalid format";
    default:
      return "is not valid";
  }
}

const forms: Readonly<Record<string, string>> = {
  guid: "a uuid",
  uuid: "a uuid",
  date: "a day, such as 2026-01-31",
  datetime: "a time in UTC, such as 2026-01-31T12:00:00.000Z",
};

function describeBound(origin: string, which: "least" | "most", bound: number): string {
  if (origin === "string") {
    if (which === "least" && bound === 1) return "must not be empty";
    return `must have at ${which} ${bound} characters`;
  }
  return origin === "array" ? `must have at ${which} ${bound} items` : `must be at ${which} ${bound}`;
}

function describeUnknownField(key: string, shape: FieldSchemas | undefined): string {
  const name = key.slice(0, 100);
  const names = Object.keys(shape ?? {});
  const suggestion = findNearest(name, names);
  // Omits the known fields if there are many. Also omits the fields of the whole input, because the error's
  // details already list them.
  const isShort = names.length > 0 && names.length <= 6 && !names.some((each) => common.includes(each));
  const known = isShort ? ` (known: ${names.join(", ")})` : "";
  return `unknown field ${JSON.stringify(name)}${suggestion === undefined ? known : ` (did you mean ${suggestion}?)`}`;
}

function describeUnion(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const kinds = errors.map(([first]) => (first?.code === "invalid_type" ? first.expected : undefined));
  const nouns = [
    ...new Set(kinds.flatMap((kind) => (kind === undefined ? [] : [describeType(kind, undefined)]))),
  ];
  return nouns.join(" or ") || "another value";
}

const nouns: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** Returns a noun phrase for a type. For an object, also lists the fields that it must have. */
function describeType(expected: string, schema: unknown): string {
  const noun = nouns[expected] ?? expected;
  const requiredFields = Object.entries(findShape(schema) ?? {}).filter(
    ([, field]) => field._zod.optin === undefined,
  );
  if (expected !== "object" || requiredFields.length === 0) return noun;
  return `an object: {${requiredFields.map(([name]) => `${JSON.stringify(name)}: …`).join(", ")}}`;
}

/** The schemas of an object's fields, by field name. */
export type FieldSchemas = Readonly<Record<string, z.core.$ZodType>>;

/** Returns the fields of an object's schema. Returns undefined for other schemas. */
function findShape(schema: unknown): FieldSchemas | undefined {
  const shape: unknown = Object(Object(Object(schema)._zod).def).shape;
  // If a zod schema has a `shape`, that is a map of fields to their schemas, so the cast is safe.
  return typeof shape === "object" && shape !== null ? (shape as FieldSchemas) : undefined;
}

function describeValueType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return Number.isInteger(value) ? "a whole number" : "a number";
  return nouns[typeof value] ?? `a ${typeof value}`;
}
