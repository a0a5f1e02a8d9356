import { MerkleError, type Operation } from "@merkle/wire";
import * as z from "zod";

/**
 * Reads an operation's input from a query string. Converts each string to its field's type: a number, a
 * boolean, or a list whose elements are separated by commas (REST-3).
 *
 * @throws bad_request for a duplicate parameter, or for a credential, which would end up in logs and histories
 */
export function readQuery(
  query: Iterable<readonly [name: string, text: string]>,
  operation: Operation,
): Record<string, unknown> {
  const input: Record<string, unknown> = Object.create(null);
  for (const [name, text] of query) {
    if (name === "team_id") {
      throw new MerkleError(
        "bad_request",
        "A credential must not be in a URL, which others can see. Send it in the header X-Team-ID.",
      );
    }
    if (name in input) throw new MerkleError("bad_request", `The parameter ${name} is given twice.`);
    input[name] = toValues(text, findField(operation, name));
  }
  return { ...input };
}

/** Parses the query string of a request's target. */
export function toSearchParams(target = ""): URLSearchParams {
  return new URLSearchParams(/\?([^#]*)/.exec(target)?.[1]);
}

function findField(operation: Operation, name: string): unknown {
  return Object.hasOwn(operation.input.shape, name) ? unwrap(operation.input.shape[name]) : undefined;
}

function toValues(text: string, field: unknown): unknown {
  if (!(field instanceof z.ZodArray)) return toValue(text, toKind(field));
  const kind = toKind(unwrap(field.element));
  return text === "" ? [] : text.split(",").map((each) => toValue(each, kind));
}

type Kind = "number" | "boolean" | "text";

function toKind(field: unknown): Kind {
  if (field instanceof z.ZodNumber) return "number";
  return field instanceof z.ZodBoolean ? "boolean" : "text";
}

function unwrap(field: unknown): unknown {
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault ? unwrap(field.unwrap()) : field;
}

/**
 * Converts a string to the type of its field. Invalid numbers and booleans stay strings, so that the field's
 * own validation refuses them.
 */
function toValue(text: string, kind: Kind): unknown {
  if (kind === "number" && /^-?\d{1,15}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
