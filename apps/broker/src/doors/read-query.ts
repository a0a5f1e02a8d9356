import { MerkleError, type Operation } from "@merkle/wire";
import * as z from "zod";

/**
 * Reads an operation's input from a query string, where everything is text: what the operation knows as a number or a
 * boolean is turned into one (REST-3).
 *
 * @throws bad_request for a parameter given twice, and for a credential, which would end up in logs and histories
 */
export function readQuery(query: URLSearchParams, operation: Operation): Record<string, unknown> {
  const input: Record<string, unknown> = Object.create(null);
  for (const [name, text] of query) {
    if (name === "team_id") {
      throw new MerkleError(
        "bad_request",
        "A credential does not belong into a URL, which others see. Send it in the header X-Team-ID.",
      );
    }
    if (name in input) throw new MerkleError("bad_request", `The parameter ${name} is given twice.`);
    input[name] = toValue(text, kindOf(operation, name));
  }
  return { ...input };
}

type Kind = "number" | "boolean" | "text";

function kindOf(operation: Operation, name: string): Kind {
  const field = Object.hasOwn(operation.input.shape, name) ? operation.input.shape[name] : undefined;
  const inner = unwrap(field);
  if (inner instanceof z.ZodNumber) return "number";
  return inner instanceof z.ZodBoolean ? "boolean" : "text";
}

function unwrap(field: unknown): unknown {
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault ? unwrap(field.unwrap()) : field;
}

/** Text that is no number or boolean stays text, and is refused with the field's own message. */
function toValue(text: string, kind: Kind): unknown {
  if (kind === "number" && /^-?\d{1,15}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
