import * as z from "zod";
import type { Operation } from "./operation.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the arguments of a tool call as a model means them (MCP-22): null means absent, and text that is JSON of the declared
 * type is that value. Anything else stays as it came, for the operation's schema to judge.
 */
export function readToolInput({ input, textField }: Operation, given: unknown): unknown {
  if (given === null) return {};
  if (!isFields(given)) return given;
  const named = textField === undefined ? given : nameText(given, textField, input.shape);
  return readFields(input.shape, named);
}

/** Drops `arguments: null`, which the protocol's own schemas refuse. */
export function withoutNullArguments(message: unknown): unknown {
  const { params } = Object(message);
  if (!isFields(params) || params["arguments"] !== null) return message;
  const { arguments: _none, ...others } = params;
  return { ...Object(message), params: others };
}

/** Models give a message's text as `text` or `content`, whichever field takes it. */
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

/** Undefined for a null that means absent. */
function readValue(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === null) return accepts(schema, null) ? null : undefined;
  if (typeof value === "string") return readText(schema, value);
  const { type, shape } = declared(schema);
  return type === "object" && shape && isFields(value) ? readFields(shape, value) : value;
}

function readText(schema: z.core.$ZodType, text: string): unknown {
  const { type, shape } = declared(schema);
  if (type === "string" || type === "enum" || type === "literal") return text;
  const parsed = parseJson(text);
  const value = isFields(parsed) ? readValue(schema, parsed) : parsed;
  // Where text and lists are both taken, as in `to`, only a list is meant by its JSON.
  const isMeant = type === "union" ? Array.isArray(value) || !accepts(schema, text) : type !== "unknown";
  if (isMeant && typeof value !== "string" && accepts(schema, value)) return value;
  const asObject = { text };
  return shape && "text" in shape && accepts(schema, asObject) ? asObject : text;
}

/** The part of zod's definitions that is read here. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly shape?: Shape;
}

/** What a schema declares, without defaults and transformations around it. */
function declared(schema: z.core.$ZodType): Definition {
  const definition = schema._zod.def as Definition;
  const within = definition.innerType ?? definition.in;
  return within ? declared(within) : definition;
}

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return value !== undefined && z.safeParse(schema, value).success;
}

/** Enough for what an input declares; a long text is a message, and is not read for a second time. */
const jsonCharsMax = 64 * 1024;

function parseJson(text: string): unknown {
  if (text.length > jsonCharsMax || !/^\s*[[{"\d\-tf]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
