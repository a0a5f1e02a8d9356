import type { Operation } from "@merkle/wire";
import * as z from "zod";

/** Returns the path of every text field in an operation's input, including those within objects and lists. */
export function listTextFields(operation: Operation): string[][] {
  return listFieldsBelow(operation.input, []);
}

function listFieldsBelow(schema: unknown, path: string[]): string[][] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodString || inner instanceof z.ZodStringFormat) return [path];
  // A field that accepts any JSON value also accepts a string.
  if (inner instanceof z.ZodUnknown) return [path];
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => listFieldsBelow(option, path));
  if (inner instanceof z.ZodArray) return listFieldsBelow(inner.element, [...path, anElement]);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([name, field]) => listFieldsBelow(field, [...path, name]));
}

export function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return unwrap(schema.unwrap());
  }
  // The input side of a zod pipe describes the value that callers send.
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema;
}

/** Path element for a new item that is appended to a list. */
const anElement = "[]";

/** Returns a copy of an input with a different value at one path. */
export function withValue(input: object, [name = "", ...rest]: readonly string[], value: unknown): object {
  const inner: unknown = Object.entries(input).find(([key]) => key === name)?.[1];
  if (rest[0] === anElement) return { ...input, [name]: [...(Array.isArray(inner) ? inner : []), value] };
  return { ...input, [name]: rest.length === 0 ? value : withValue(Object(inner), rest, value) };
}
