import type { MerkleError } from "../core/errors.js";
import { foreign } from "./neutralise.js";

/** A failure as text for a model. Its details can quote what others wrote, which must not pass for a line of ours (TEXT-1). */
export function compactError({ code, message, details }: Pick<MerkleError, "code" | "message" | "details">) {
  const told = Object.entries(details)
    // The message names the fields already.
    .filter(([name]) => name !== "fields" && name !== "field")
    .map(([name, value]) => compactDetail(name, typeof value === "string" ? value : JSON.stringify(value)));
  return [`${code}: ${foreign(message)}`, ...told].join("\n");
}

function compactDetail(name: string, value: string): string {
  const text = foreign(value);
  return text.includes("\n") ? `${foreign(name)}:\n  ${text}` : `${foreign(name)} ${text}`;
}
