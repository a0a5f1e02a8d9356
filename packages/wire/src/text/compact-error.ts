import type { MerkleError } from "../core/errors.js";
import { foreign, neutralise } from "./neutralise.js";

/** A failure as text for a model. Its details can quote what others wrote, which must not pass for a line of ours (TEXT-1). */
export function compactError({ code, message, details }: Pick<MerkleError, "code" | "message" | "details">) {
  // Callers quote the document, or the diff, when they edit it: it is shown unchanged, and as the last part (TEXT-4).
  const last = ["content", "diff"].find((name) => typeof details[name] === "string");
  const told = Object.entries(details)
    // The message names the fields already.
    .filter(([name]) => name !== "fields" && name !== "field" && name !== last)
    .map(([name, value]) => compactDetail(name, typeof value === "string" ? value : JSON.stringify(value)));
  const text =
    last === undefined ? [] : [`${last}, from the next line to the end:`, neutralise(`${details[last]}`)];
  return [`${code}: ${foreign(message)}`, ...told, ...text].join("\n");
}

function compactDetail(name: string, value: string): string {
  const text = foreign(value);
  return text.includes("\n") ? `${foreign(name)}:\n  ${text}` : `${foreign(name)} ${text}`;
}
