import * as z from "zod";
import { isObject } from "../core/is-object.js";
import type { FieldSchemas } from "./input-problems.js";
import type { Operation } from "./operation.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Interprets the arguments of a tool call in the way that the model meant them (MCP-22). Null counts as
 * absent, and a string that contains JSON of the declared type is parsed. All other values stay as they are,
 * for the operation's schema to check.
 */
export function readToolInput({ input, textField }: Operation, given: unknown): unknown {
  if (given === null) return {};
  if (!isObject(given)) return given;
  const named = textField === undefined ? given : nameText(given, textField, input.shape);
  return readFields(input.shape, named);
}

/**
 * Renames the field for a message's text. Models pass the text as `text` or `content`, no matter what the
 * field is called.
 */
function nameText(given: Fields, textField: string, shape: FieldSchemas): Fields {
  const alias = ["text", "content"].find((name) => !(name in shape) && typeof given[name] === "string");
  if (alias === undefined || given[textField] != null) return given;
  const { [alias]: text, ...others } = given;
  return { ...others, [textField]: text };
}

function readFields(shape: FieldSchemas, given: Fields): Fields {
  const read = Object.entries(given).flatMap(([name, value]) => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const taken = schema ? readValue(schema, value) : (value ?? undefined);
    return taken === undefined ? [] : [[name, taken]];
  });
  return Object.fromEntries(read);
}

/** Interprets one argument. Returns undefined for a null that means that the argument is absent. */
function readValue(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === null) return accepts(schema, null) ? null : undefined;
  if (typeof value === "string") return readText(schema, value);
  const { type, shape } = unwrapDefinition(schema);
  return type === "object" && shape && isObject(value) ? readFields(shape, value) : value;
}

function readText(schema: z.core.$ZodType, text: string): unknown {
  const { type, shape } = unwrapDefinition(schema);
  if (type === "string" || type === "enum" || type === "literal") return text;
  const parsed = parseJson(text);
  const value = isObject(parsed) ? readValue(schema, parsed) : parsed;
  // If both text and lists are accepted, as in `to`, only a JSON list is parsed.
  const isMeant = type === "union" ? Array.isArray(value) || !accepts(schema, text) : type !== "unknown";
  if (isMeant && typeof value !== "string" && accepts(schema, value)) return value;
  const asObject = { text };
  return shape && "text" in shape && accepts(schema, asObject) ? asObject : text;
}

/** The parts of zod's schema definitions that this module uses. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly shape?: FieldSchemas;
}

/** Returns a schema's own definition, without the wrappers for defaults and transformations. */
function unwrapDefinition(schema: z.core.$ZodType): Definition {
  const definition = schema._zod.def as Definition;
  const within = definition.innerType ?? definition.in;
  return within ? unwrapDefinition(within) : definition;
}

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return value !== undefined && z.safeParse(schema, value).success;
}

/**
 * Maximum length of text that is parsed as JSON. This is enough for every declared input. Longer text must be
 * a message, so it is not parsed.
 */
const jsonCharsMax = 64 * 1024;

function parseJson(text: string): unknown {
  if (text.length > jsonCharsMax || !/^\s*[[{"\d\-tf]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
