import type { Operation } from "@merkle/wire";
import * as z from "zod";

/** The path of every text that an operation takes, those within objects and lists included. */
export function textFields(operation: Operation): string[][] {
  return fieldsBelow(operation.input, []);
}

function fieldsBelow(schema: unknown, path: string[]): string[][] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodString || inner instanceof z.ZodStringFormat) return [path];
  // Any JSON value can be a text as well.
  if (inner instanceof z.ZodUnknown) return [path];
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => fieldsBelow(option, path));
  if (inner instanceof z.ZodArray) return fieldsBelow(inner.element, [...path, anElement]);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([name, field]) => fieldsBelow(field, [...path, name]));
}

export function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return unwrap(schema.unwrap());
  }
  // What is sent is what goes in.
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema;
}

/** In a path: one element of a list, beside those that are there. */
const anElement = "[]";

/** A copy of an input with another value at one place. */
export function withValue(input: object, [name = "", ...rest]: readonly string[], value: unknown): object {
  const inner: unknown = Object.entries(input).find(([key]) => key === name)?.[1];
  if (rest[0] === anElement) return { ...input, [name]: [...(Array.isArray(inner) ? inner : []), value] };
  return { ...input, [name]: rest.length === 0 ? value : withValue(Object(inner), rest, value) };
}
