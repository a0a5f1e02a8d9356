import { isDeepStrictEqual } from "node:util";
import { findNode, type JsonNode, readJsonText } from "./json-text.js";

/** An addition to a file: a member of an object by its path, or one more item of the list at a path. */
export type Addition =
  | { readonly kind: "member"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly kind: "item"; readonly path: readonly string[]; readonly value: unknown };

/** A change of one place of a text: what goes from there, and what comes there. */
export interface TextEdit {
  readonly at: number;
  readonly removed: string;
  readonly added: string;
}

/**
 * How the text comes to have it, every other character of it staying as it is; null when it has it already. What is
 * missing on the way is made.
 *
 * @throws TypeError when something else stands in the way
 */
export function editToAdd(text: string, addition: Addition): TextEdit | null {
  const root = readJsonText(text);
  const { node, missing } = deepest(root, addition.path);
  if (missing.length === 0 && addition.kind === "member") return editToReplace(text, node, addition.value);
  if (missing.length === 0 && node.members?.some(isItem(addition.value))) return null;
  const isList = missing.length === 0;
  if (Array.isArray(node.value) !== isList || node.members === undefined) {
    throw new TypeError(`${addition.path.join(".")} has something else in its way`);
  }
  const value = addition.kind === "item" && !isList ? [addition.value] : addition.value;
  const [name, ...inner] = missing;
  const whole = inner.reduceRight<unknown>((within, each) => ({ [each]: within }), value);
  return editToInsert(text, node, name, whole);
}

/** How the text comes to have it no more, the lists and objects that are empty then gone with it; null when it has not got it. */
export function editToRemove(text: string, addition: Addition, made: readonly string[][]): TextEdit | null {
  const root = readJsonText(text);
  const holder = findNode(root, addition.kind === "item" ? addition.path : addition.path.slice(0, -1));
  const name = addition.kind === "member" ? addition.path.at(-1) : undefined;
  const member = holder?.members?.findLast((each) => each.name === name && isItem(addition.value)(each));
  if (!holder?.members || !member) return null;
  const path = addition.kind === "item" ? addition.path : addition.path.slice(0, -1);
  const isEmptied = holder.members.length === 1 && made.some((each) => isDeepStrictEqual(each, path));
  if (isEmptied && path.length > 0) {
    return editToRemove(text, { kind: "member", path, value: holder.value }, made);
  }
  const index = holder.members.indexOf(member);
  const [before, after] = [holder.members[index - 1], holder.members[index + 1]];
  const [start, end] = after
    ? [member.start, after.start]
    : [before ? before.node.end : holder.start + 1, before ? member.node.end : holder.end - 1];
  return { at: start, removed: text.slice(start, end), added: "" };
}

export function applyEdit(text: string, { at, removed, added }: TextEdit): string {
  return text.slice(0, at) + added + text.slice(at + removed.length);
}

/** The lists and objects on the way to it that the text has not got yet. */
export function missingOnTheWay(text: string, { kind, path }: Addition): string[][] {
  const { missing } = deepest(readJsonText(text), kind === "item" ? path : path.slice(0, -1));
  return missing.map((_, index) => path.slice(0, path.length - (kind === "item" ? 0 : 1) - index));
}

function deepest(root: JsonNode, path: readonly string[]): { node: JsonNode; missing: readonly string[] } {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNode(root, path.slice(0, length));
    if (node) return { node, missing: path.slice(length) };
  }
  return { node: root, missing: path };
}

function isItem(value: unknown): (member: { readonly node: JsonNode }) => boolean {
  return ({ node }) => isDeepStrictEqual(node.value, value);
}

function editToReplace(text: string, node: JsonNode, value: unknown): TextEdit | null {
  if (isDeepStrictEqual(node.value, value)) return null;
  const indent = indentOfLine(text, node.start);
  return { at: node.start, removed: text.slice(node.start, node.end), added: format(text, value, indent) };
}

/** At the beginning, so that no line that is there gets a comma more. */
function editToInsert(text: string, node: JsonNode, name: string | undefined, value: unknown): TextEdit {
  const [first] = node.members ?? [];
  const at = node.start + 1;
  const space = text.slice(at, first ? first.start : node.end - 1);
  const isOneLine = first ? !space.includes("\n") : isSingleLine(text);
  const label = name === undefined ? "" : `${JSON.stringify(name)}:${isOneLine ? "" : " "}`;
  if (isOneLine) {
    return { at, removed: "", added: `${label}${JSON.stringify(value)}${first ? "," : ""}` };
  }
  const outer = indentOfLine(text, node.start);
  const indent = first ? indentOfLine(text, first.start) : outer + unitOf(text);
  const added = `${lineBreakOf(text)}${indent}${label}${format(text, value, indent)}`;
  if (first) return { at, removed: "", added: `${added},` };
  return { at, removed: space, added: `${added}${lineBreakOf(text)}${outer}` };
}

function format(text: string, value: unknown, indent: string): string {
  if (isSingleLine(text)) return JSON.stringify(value);
  const [first = "", ...rest] = JSON.stringify(value, null, unitOf(text)).split("\n");
  return [first, ...rest.map((line) => indent + line)].join(lineBreakOf(text));
}

function isSingleLine(text: string): boolean {
  return !text.trim().includes("\n") && /^[{[]\s*[^\s}\]]/.test(text.trim());
}

function lineBreakOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The indentation of one level: as the first line that is. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function indentOfLine(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
