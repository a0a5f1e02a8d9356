import { isDeepStrictEqual } from "node:util";
import { parse } from "smol-toml";
import type { Addition } from "../clients/client.js";
import { applyEdit, type TextEdit } from "./json-edit.js";

/**
 * How the text comes to have the table, at its end, where any table may stand; null when it has just it already.
 *
 * @throws SyntaxError for what is not TOML, TypeError when something else has its name
 */
export function editToAddTable(text: string, addition: Addition): TextEdit | null {
  const { path, lines } = toTable(addition);
  const found = findTomlValue(text, path);
  if (found && isDeepStrictEqual(found, findTomlValue(lines, path))) return null;
  if (found) throw inTheWay(path);
  const breaks = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  const edit = { at: text.length, removed: "", added: breaks + lines };
  // A table that was written in one line takes no further ones.
  if (!isToml(applyEdit(text, edit))) throw inTheWay(path);
  return edit;
}

/** How the text comes to have it no more, nor the tables below it, which the client itself may have added; null when it has not got it. */
export function editToRemoveTable(text: string, addition: Addition): TextEdit | null {
  const { path } = toTable(addition);
  if (!findTomlValue(text, path)) return null;
  const rest = withoutValue(readToml(text), path);
  const lines = text.split(/(?<=\n)/);
  // A line within a string of several lines may look like the header: what is left then is something else.
  for (const [first] of lines.entries()) {
    if (!isHeaderBelow(lines[first] ?? "", path)) continue;
    const edit = editToRemoveFrom(lines, first, path);
    const left = applyEdit(text, edit);
    if (!isToml(left) || findTomlValue(left, path)) continue;
    if (isDeepStrictEqual(withoutValue(readToml(left), path), rest)) return edit;
  }
  throw inTheWay(path);
}

function editToRemoveFrom(lines: readonly string[], first: number, path: readonly string[]): TextEdit {
  const isOurs = (line: string) => isHeaderBelow(line, path);
  const next = lines.findIndex((line, index) => index > first && /^\s*\[/.test(line) && !isOurs(line));
  const end = beforeComments(lines, first, next < 0 ? lines.length : next);
  // The empty line before it came with it.
  const begin = first > 0 && lines[first - 1]?.trim() === "" ? first - 1 : first;
  const at = lines.slice(0, begin).join("").length;
  return { at, removed: lines.slice(begin, end).join(""), added: "" };
}

/** The same value without what is at that path, and without the tables above it that are empty then. */
function withoutValue(value: unknown, [name = "", ...inner]: readonly string[]): unknown {
  const { [name]: held, ...others }: Record<string, unknown> = Object(value);
  if (inner.length === 0) return others;
  const left = withoutValue(held, inner);
  return Object.keys(Object(left)).length === 0 ? others : { ...others, [name]: left };
}

/** The value at that path; undefined when there is none. */
export function findTomlValue(
  text: string,
  path: readonly string[],
): { readonly value: unknown } | undefined {
  let value: unknown = readToml(text);
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return { value };
}

function readToml(text: string): unknown {
  try {
    // The library's objects have no prototype, and are equal to no other.
    return JSON.parse(JSON.stringify(parse(text)));
  } catch (cause) {
    throw new SyntaxError("it is not TOML", { cause });
  }
}

function isToml(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function toTable(addition: Addition): { readonly path: readonly string[]; readonly lines: string } {
  if (addition.kind === "table") return { path: addition.path, lines: addition.value };
  throw new TypeError("a TOML file can contain only tables");
}

function isHeaderBelow(line: string, path: readonly string[]): boolean {
  const header = /^\s*\[([^[\]]+)\]/.exec(line)?.[1];
  const names = header?.split(".").map((name) => name.trim().replace(/^(["'])(.*)\1$/, "$2")) ?? [];
  return path.every((name, index) => names[index] === name);
}

/** Returns where a table ends. Empty lines and comments behind it belong to the next one, or to nobody. */
function beforeComments(lines: readonly string[], first: number, next: number): number {
  let end = next;
  while (end > first + 1 && /^\s*(?:#.*)?\s*$/.test(lines[end - 1] ?? "")) end -= 1;
  return end;
}

function inTheWay(path: readonly string[]): TypeError {
  return new TypeError(`${path.join(".")} already has another value`);
}
