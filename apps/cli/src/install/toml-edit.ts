import { isDeepStrictEqual } from "node:util";
import { parse } from "smol-toml";
import type { Addition } from "../clients/client.js";
import { applyEdit, type TextEdit } from "./json-edit.js";

/**
 * Returns the edit that adds a table at the end of the text. Returns null if the text already contains the
 * same table.
 *
 * @throws SyntaxError for invalid TOML; TypeError if another value has the table's name
 */
export function planTableAddition(text: string, addition: Addition): TextEdit | null {
  const { path, lines } = toTable(addition);
  const current = findTomlValue(text, path);
  if (current && isDeepStrictEqual(current, findTomlValue(lines, path))) return null;
  if (current) throw alreadySet(path);
  const breaks = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  const edit = { at: text.length, removed: "", added: breaks + lines };
  // A table header cannot extend an inline table.
  if (!isToml(applyEdit(text, edit))) throw alreadySet(path);
  return edit;
}

/**
 * Returns the edit that removes a table and its subtables, which the client may have added. Returns null if
 * the text does not contain the table.
 */
export function planTableRemoval(text: string, addition: Addition): TextEdit | null {
  const { path } = toTable(addition);
  if (!findTomlValue(text, path)) return null;
  const rest = withoutValue(readToml(text), path);
  const lines = text.split(/(?<=\n)/);
  // A line in a multi-line string can look like the table's header. Therefore each candidate is removed on
  // trial, and the result is checked.
  for (const [first] of lines.entries()) {
    if (!isHeaderBelow(lines[first] ?? "", path)) continue;
    const edit = planRemovalFrom(lines, first, path);
    const left = applyEdit(text, edit);
    if (!isToml(left) || findTomlValue(left, path)) continue;
    if (isDeepStrictEqual(withoutValue(readToml(left), path), rest)) return edit;
  }
  throw alreadySet(path);
}

function planRemovalFrom(lines: readonly string[], first: number, path: readonly string[]): TextEdit {
  const isOurs = (line: string) => isHeaderBelow(line, path);
  const next = lines.findIndex((line, index) => index > first && /^\s*\[/.test(line) && !isOurs(line));
  const end = findEndBeforeComments(lines, first, next < 0 ? lines.length : next);
  // The blank line above the table was added along with it.
  const begin = first > 0 && lines[first - 1]?.trim() === "" ? first - 1 : first;
  const at = lines.slice(0, begin).join("").length;
  return { at, removed: lines.slice(begin, end).join(""), added: "" };
}

/** Returns the value without the part at the path, and without parent tables that become empty. */
function withoutValue(value: unknown, [name = "", ...inner]: readonly string[]): unknown {
  const { [name]: member, ...others }: Record<string, unknown> = Object(value);
  if (inner.length === 0) return others;
  const left = withoutValue(member, inner);
  return Object.keys(Object(left)).length === 0 ? others : { ...others, [name]: left };
}

/** Returns the value at a path, or undefined if there is none. */
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
    // The objects that the TOML library creates have no prototype, so they would not be deeply equal to other
    // objects.
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

/**
 * Returns the line index at which a table ends. Empty lines and comments after it do not belong to the table.
 */
function findEndBeforeComments(lines: readonly string[], first: number, next: number): number {
  let end = next;
  while (end > first + 1 && /^\s*(?:#.*)?\s*$/.test(lines[end - 1] ?? "")) end -= 1;
  return end;
}

function alreadySet(path: readonly string[]): TypeError {
  return new TypeError(`${path.join(".")} already has another value`);
}
