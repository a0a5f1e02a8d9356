import { toCanonicalJson } from "../core/canonical-json.js";
import * as shape from "../core/shape.js";
import type { AuditKey, SignedHead } from "../identity/head.js";
import { auditKey, parseCanonical, parseHead } from "./bundle.js";

/**
 * An entry of a mesh's log: a signed head of a session, a key that will sign from then on, or the last
 * checkpoint of the log's predecessor, which ended with a restore.
 */
export type LogEntry =
  | { readonly head: SignedHead }
  | { readonly key: AuditKey }
  | { readonly begins: string };

/** Returns the entry as it is hashed: its canonical JSON. */
export function formatLogEntry(entry: LogEntry): string {
  return toCanonicalJson(entry);
}

/** @throws ShapeError if the text is not an entry in canonical JSON */
export function parseLogEntry(text: string): LogEntry {
  if (text.endsWith("\n")) throw new shape.ShapeError("An entry of a log has no line break at its end.");
  return parseCanonical(text, (value) => readLogEntry(value, "the entry"));
}

const readLogEntry: shape.Shape<LogEntry> = (value, place) => {
  const entry = shape.anyObject(value, place);
  const [kind, ...others] = Object.keys(entry);
  if (others.length === 0) {
    if (kind === "head") return { head: parseHead(entry[kind], `${place}.head`) };
    if (kind === "key") return { key: auditKey(entry[kind], `${place}.key`) };
    if (kind === "begins") return { begins: shape.text(entry[kind], `${place}.begins`) };
  }
  throw new shape.ShapeError(`${place} must have exactly one field: head, key or begins.`);
};
