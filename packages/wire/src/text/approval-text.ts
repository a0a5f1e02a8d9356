import { isObject } from "../core/is-object.js";
import { showInvisible } from "./neutralise.js";

/**
 * Describes what a tool call would do, for the person who decides on it. A command or plan is shown verbatim, and an
 * edit as a diff. All other fields are shown as JSON, so that nothing is left out. Invisible characters are
 * escaped.
 *
 * @param input - the tool's input as JSON
 * @returns the description, and the reason that the agent has given
 */
export function formatApproval(input: string): { readonly text: string; readonly why: string | null } {
  const fields = parseFields(input);
  if (!fields) return { text: showInvisible(input), why: null };
  const { description, ...rest } = fields;
  const why = typeof description === "string" ? showInvisible(description) : null;
  const shown = describe(why === null ? fields : rest);
  return { text: showInvisible(shown.join("\n")), why };
}

type Fields = Readonly<Record<string, unknown>>;

function describe(fields: Fields): string[] {
  const { command, file_path: file, old_string: old, new_string: now, content, ...rest } = fields;
  const { plan, planFilePath: planFile, ...beside } = fields;
  if (isText(command)) return [command, ...formatAsJson({ ...fields, command: undefined })];
  if (isText(file) && isText(old) && isText(now) && content === undefined)
    return [file, ...prefixLines("- ", old), ...prefixLines("+ ", now), ...formatAsJson(rest)];
  if (isText(file) && isText(content) && old === undefined && now === undefined)
    return [file, ...prefixLines("+ ", content), ...formatAsJson(rest)];
  if (isText(plan) && isText(planFile)) return [plan, "", planFile, ...formatAsJson(beside)];
  return formatAsJson(fields);
}

function prefixLines(mark: string, text: string): string[] {
  return text === "" ? [] : text.split("\n").map((line) => `${mark}${line}`);
}

function formatAsJson(rest: Fields): string[] {
  const text = JSON.stringify(rest, null, 2);
  return text === "{}" ? [] : [text];
}

function parseFields(input: string): Fields | null {
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
