import * as z from "zod";
import { isObject } from "../core/is-object.js";
import type { Operation } from "./operation.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Interprets the arguments of a tool call as a model meant them (MCP-22). Null means absent, and text that is
 * JSON of the declared type is parsed. All other values are left for the operation's schema to check.
 */
export function readToolInput({ input, textField }: Operation, given: unknown): unknown {
  if (given === null) return {};
  if (!isObject(given)) return given;
  const named = textField === undefined ? given : nameText(given, textField, input.shape);
  return readFields(input.shape, named);
}

/** Drops `arguments: null`, which the protocol's own schemas refuse. */
export function withoutNullArguments(message: unknown): unknown {
  const { params } = Object(message);
  if (!isObject(params) || params["arguments"] !== null) return message;
  const { arguments: _none, ...others } = params;
  return { ...Object(message), params: others };
}

/** Models pass a message's text as `text` or `content`, whatever the field is called. */
function nameText(given: Fields, textField: string, shape: Shape): Fields {
  const alias = ["text", "content"].find((name) => !(name in shape) && typeof given[name] === "string");
  if (alias === undefined || given[textField] != null) return given;
  const { [alias]: text, ...others } = given;
  return { ...others, [textField]: text };
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

function readFields(shape: Shape, given: Fields): Fields {
  const read = Object.entries(given).flatMap(([name, value]) => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const taken = schema ? readValue(schema, value) : (value ?? undefined);
    return taken === undefined ? [] : [[name, taken]];
  });
  return Object.fromEntries(read);
}

/** Returns undefined for a null that means absent. */
function readValue(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === null) return accepts(schema, null) ? null : undefined;
  if (typeof value === "string") return readText(schema, value);
  const { type, shape } = declared(schema);
  return type === "object" && shape && isObject(value) ? readFields(shape, value) : value;
}

function readText(schema: z.core.$ZodType, text: string): unknown {
  const { type, shape } = declared(schema);
  if (type === "string" || type === "enum" || type === "literal") return text;
  const parsed = parseJson(text);
  const value = isObject(parsed) ? readValue(schema, parsed) : parsed;
  // If both text and lists are accepted, as in `to`, only JSON of a list is parsed.
  const isMeant = type === "union" ? Array.isArray(value) || !accepts(schema, text) : type !== "unknown";
  if (isMeant && typeof value !== "string" && accepts(schema, value)) return value;
  const asObject = { text };
  return shape && "text" in shape && accepts(schema, asObject) ? asObject : text;
}

/** The part of zod's definitions used here. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly shape?: Shape;
}

/** Returns the declared definition of a schema, without wrappers for defaults and transformations. */
function declared(schema: z.core.$ZodType): Definition {
  const definition = schema._zod.def as Definition;
  const within = definition.innerType ?? definition.in;
  return within ? declared(within) : definition;
}

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return value !== undefined && z.safeParse(schema, value).success;
}

/** Enough for any declared input. Longer text is a message and is not parsed a second time. */
const jsonCharsMax = 64 * 1024;

function parseJson(text: string): unknown {
  if (text.length > jsonCharsMax || !/^\s*[[{"\d\-tf]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
