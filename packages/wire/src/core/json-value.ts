import * as z from "zod";
import { isStorable, utf8Bytes } from "./utf8.js";

/**
 * Any JSON value that can be stored and comes back as it was sent; null is one. Its size is that of its shortest text,
 * which is the canonical one's too. What is too large is refused with 413, anything else with 400.
 */
export function jsonValue(max: { readonly bytesMax: number; readonly depthMax: number }) {
  return z.unknown().superRefine((value, context) => {
    const problem = findProblem(value, { left: max.depthMax, max: max.depthMax });
    if (problem !== null) {
      context.addIssue({ code: "custom", message: problem });
      return;
    }
    const bytes = utf8Bytes(JSON.stringify(value));
    if (bytes <= max.bytesMax) return;
    context.addIssue({
      code: "custom",
      message: `must be at most ${max.bytesMax} bytes as JSON in UTF-8, got ${bytes}`,
      params: { tooLarge: true, bytesMax: max.bytesMax },
    });
  });
}

/** How many levels may still follow, and how many there may be in all. */
interface Depth {
  readonly left: number;
  readonly max: number;
}

/** Goes no deeper than it must: whatever comes after it may walk through the value without fear for the stack. */
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
