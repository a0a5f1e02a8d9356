import { isDeepStrictEqual } from "node:util";
import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import type { Addition } from "../clients/client.js";

/** Whether comments may stand in the text, as whoever else reads it puts up with them. */
interface JsonReading {
  readonly comments: boolean;
}

const strict: JsonReading = { comments: false };

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
export function editToAdd(text: string, addition: Addition, reading = strict): TextEdit | null {
  const { node, missing } = deepest(readTree(text, reading), addition.path);
  if (missing.length === 0 && addition.kind === "member") return editToReplace(text, node, addition.value);
  const isList = missing.length === 0;
  if (isList && node.children?.some((item) => holds(item, addition.value))) return null;
  if (node.type !== (isList ? "array" : "object")) {
    throw new TypeError(`${addition.path.join(".")} already has another value`);
  }
  const value = addition.kind === "item" && !isList ? [addition.value] : addition.value;
  const [name, ...inner] = missing;
  const whole = inner.reduceRight<unknown>((within, each) => ({ [each]: within }), value);
  return editToInsert(text, node, name, whole);
}

/** How the text comes to have it no more, the lists and objects that are empty then gone with it; null when it has not got it. */
export function editToRemove(
  text: string,
  addition: Addition,
  made: readonly string[][],
  reading = strict,
): TextEdit | null {
  const path = addition.kind === "item" ? addition.path : addition.path.slice(0, -1);
  const holder = findNode(readTree(text, reading), path);
  const name = addition.kind === "member" ? addition.path.at(-1) : undefined;
  const children = holder?.children ?? [];
  const index = children.findLastIndex(
    (each) => nameOf(each) === name && holds(valueNodeOf(each), addition.value),
  );
  const child = children[index];
  if (!holder || !child) return null;
  const isEmptied = children.length === 1 && made.some((each) => isDeepStrictEqual(each, path));
  if (isEmptied && path.length > 0) {
    return editToRemove(text, { kind: "member", path, value: readValue(holder) }, made, reading);
  }
  const [before, after] = [children[index - 1], children[index + 1]];
  const [start, end] = after
    ? // A comment above the next one stays, as does all that stands before this.
      [text.slice(0, child.offset).trimEnd().length, text.indexOf(",", endOf(child)) + 1]
    : [before ? endOf(before) : holder.offset + 1, before ? endOf(child) : endOf(holder) - 1];
  return { at: start, removed: text.slice(start, end), added: "" };
}

export function applyEdit(text: string, { at, removed, added }: TextEdit): string {
  return text.slice(0, at) + added + text.slice(at + removed.length);
}

/** The lists and objects on the way to it that the text has not got yet. */
export function missingOnTheWay(text: string, { kind, path }: Addition, reading = strict): string[][] {
  const { missing } = deepest(readTree(text, reading), kind === "item" ? path : path.slice(0, -1));
  return missing.map((_, index) => path.slice(0, path.length - (kind === "item" ? 0 : 1) - index));
}

/** The value at that path; undefined when there is none. */
export function findValue(
  text: string,
  path: readonly string[],
  reading = strict,
): { readonly value: unknown } | undefined {
  const node = findNode(readTree(text, reading), path);
  return node && { value: readValue(node) };
}

/**
 * Where everything in a JSON text stands.
 *
 * @throws SyntaxError for anything that is not JSON, TypeError for what is nested too deeply
 */
function readTree(text: string, { comments }: JsonReading): Node {
  // jsonc-parser puts up with more than JSON, such as comments, which whoever else reads the file does not.
  if (!comments) JSON.parse(text);
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: comments });
    if (errors.length > 0) throw new SyntaxError("it is not JSON");
    if (root) return root;
  } catch (error) {
    // It calls itself for each level, and there are as many as somebody wrote.
    if (!(error instanceof RangeError)) throw error;
  }
  throw new TypeError("it is nested too deeply");
}

function findNode(root: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, name) => {
    // The last of several members with one name counts, as everywhere; jsonc-parser's own search takes the first.
    const member = node?.children?.findLast((child) => nameOf(child) === name);
    return member && valueNodeOf(member);
  }, root);
}

function deepest(root: Node, path: readonly string[]): { node: Node; missing: readonly string[] } {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNode(root, path.slice(0, length));
    if (node) return { node, missing: path.slice(length) };
  }
  return { node: root, missing: path };
}

/** The name of an object's member; an item of a list has none. */
function nameOf({ type, children }: Node): unknown {
  return type === "property" ? children?.[0]?.value : undefined;
}

function valueNodeOf(child: Node): Node {
  return (child.type === "property" && child.children?.[1]) || child;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** As JSON.parse has it: the library's objects have no prototype, and are equal to no other. */
function readValue(node: Node): unknown {
  return JSON.parse(JSON.stringify(getNodeValue(node)));
}

function holds(node: Node, value: unknown): boolean {
  return isDeepStrictEqual(readValue(node), value);
}

function editToReplace(text: string, node: Node, value: unknown): TextEdit | null {
  if (holds(node, value)) return null;
  const indent = indentOfLine(text, node.offset);
  return {
    at: node.offset,
    removed: text.slice(node.offset, endOf(node)),
    added: format(text, value, indent),
  };
}

/** At the beginning, so that no line that is there gets a comma more. */
function editToInsert(text: string, node: Node, name: string | undefined, value: unknown): TextEdit {
  const [first] = node.children ?? [];
  const at = node.offset + 1;
  const space = text.slice(at, first ? first.offset : endOf(node) - 1);
  const isOneLine = first ? !space.includes("\n") : isSingleLine(text);
  const label = name === undefined ? "" : `${JSON.stringify(name)}:${isOneLine ? "" : " "}`;
  if (isOneLine) {
    return { at, removed: "", added: `${label}${JSON.stringify(value)}${first ? "," : ""}` };
  }
  const outer = indentOfLine(text, node.offset);
  const indent = first ? indentOfLine(text, first.offset) : outer + unitOf(text);
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
