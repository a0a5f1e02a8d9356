import type { MerkleError } from "../core/errors.js";
import { neutralise, neutraliseTexts } from "./neutralise.js";

/**
 * Formats an error for a model. The error's details may quote other users, so they must not look like
 * Merkle's own lines (TEXT-1).
 */
export function compactError({ code, message, details }: Pick<MerkleError, "code" | "message" | "details">) {
  // The document's content or the diff is shown last and unchanged, because callers quote it when they edit
  // (TEXT-4).
  const last = ["content", "diff"].find((name) => typeof details[name] === "string");
  const detailLines = Object.entries(details)
    // Leaves out fields that the message already mentions, and the text that is shown last.
    .filter(([name]) => name !== "fields" && name !== "field" && name !== last)
    .map(([name, value]) => compactDetail(name, typeof value === "string" ? value : JSON.stringify(value)));
  const text =
    last === undefined ? [] : [`${last}, from the next line to the end:`, neutralise(`${details[last]}`)];
  return [`${code}: ${neutraliseTexts(message)}`, ...detailLines, ...text].join("\n");
}

function compactDetail(name: string, value: string): string {
  const text = neutraliseTexts(value);
  return text.includes("\n") ? `${neutraliseTexts(name)}:\n  ${text}` : `${neutraliseTexts(name)} ${text}`;
}
