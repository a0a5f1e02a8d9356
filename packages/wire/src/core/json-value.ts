import * as z from "zod";
import { countUtf8Bytes, isStorable } from "./utf8.js";

/**
 * Accepts any JSON value, including null, that can be stored and returned unchanged. A value's size is the
 * length of its canonical JSON. Values that are too large are refused with status 413, other invalid values
 * with 400.
 */
export function jsonValue(max: { readonly bytesMax: number; readonly depthMax: number }) {
  return z.unknown().superRefine((value, context) => {
    const problem = findProblem(value, { left: max.depthMax, max: max.depthMax });
    if (problem !== null) {
      context.addIssue({ code: "custom", message: problem });
      return;
    }
    const bytes = countUtf8Bytes(JSON.stringify(value));
    if (bytes <= max.bytesMax) return;
    context.addIssue({
      code: "custom",
      message: `must be at most ${max.bytesMax} bytes as JSON in UTF-8, got ${bytes}`,
      params: { tooLarge: true, bytesMax: max.bytesMax },
    });
  });
}

/** The remaining nesting depth, and the maximum. */
interface Depth {
  readonly left: number;
  readonly max: number;
}

/**
 * Returns a description of what is wrong with a value, or null. Stops at the maximum depth, so that later
 * code can traverse accepted values without overflowing the stack.
 */
function findProblem(value: unknown, depth: Depth): string | null {
  switch (typeof value) {
    case "undefined":
      return "is required; null is a valid value";
    case "string":
      return isStorable(value) ? null : "must not contain NUL characters or lone surrogates";
    case "number":
      return Number.isFinite(value) ? null : "must not contain a number beyond the range of a double";
    case "object":
      return value === null ? null : findProblemWithin(value, depth);
    default:
      return null;
  }
}

function findProblemWithin(value: object, { left, max }: Depth): string | null {
  if (left === 0) return `must not nest lists and objects more than ${max} levels deep`;
  for (const [name, inner] of Object.entries(value)) {
    const problem = findProblem(name, { left: 0, max }) ?? findProblem(inner, { left: left - 1, max });
    if (problem !== null) return problem;
  }
  return null;
}
