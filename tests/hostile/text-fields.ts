import type { Operation } from "@merkle/wire";
import * as z from "zod";

/** The path of every text that an operation takes, those within objects included. */
export function textFields(operation: Operation): string[][] {
  return fieldsBelow(operation.input, []);
}

function fieldsBelow(schema: unknown, path: string[]): string[][] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodString || inner instanceof z.ZodStringFormat) return [path];
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([name, field]) => fieldsBelow(field, [...path, name]));
}

export function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return unwrap(schema.unwrap());
  }
  return schema;
}

/** A copy of an input with another value at one place. */
export function withValue(input: object, [name = "", ...rest]: readonly string[], value: unknown): object {
  const inner: unknown = Object.entries(input).find(([key]) => key === name)?.[1];
  return { ...input, [name]: rest.length === 0 ? value : withValue(Object(inner), rest, value) };
}
