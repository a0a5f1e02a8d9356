import { isDeepStrictEqual } from "node:util";
import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import type { Addition } from "../clients/client.js";

/** How to read JSON. Set `comments` only if the other programs that read the file accept comments. */
interface JsonReading {
  readonly comments: boolean;
}

const strict: JsonReading = { comments: false };

/** A single edit: the position, the removed text and the added text. */
export interface TextEdit {
  readonly at: number;
  readonly removed: string;
  readonly added: string;
}

/**
 * Returns the edit that adds a value without changing any other character. Creates missing parent objects and
 * lists. Returns null if the text already contains the value.
 *
 * @throws TypeError if there is another value at the path or in place of a parent
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

/**
 * Returns the edit that removes a value, and those lists and objects in `made` that become empty. Returns
 * null if the text does not contain the value.
 */
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
    ? // Keeps comments before the removed value and before the next one.
      [text.slice(0, child.offset).trimEnd().length, text.indexOf(",", endOf(child)) + 1]
    : [before ? endOf(before) : holder.offset + 1, before ? endOf(child) : endOf(holder) - 1];
  return { at: start, removed: text.slice(start, end), added: "" };
}

export function applyEdit(text: string, { at, removed, added }: TextEdit): string {
  return text.slice(0, at) + added + text.slice(at + removed.length);
}

/** Returns the paths of the lists and objects that must be created before the addition can be made. */
export function missingOnTheWay(text: string, { kind, path }: Addition, reading = strict): string[][] {
  const { missing } = deepest(readTree(text, reading), kind === "item" ? path : path.slice(0, -1));
  return missing.map((_, index) => path.slice(0, path.length - (kind === "item" ? 0 : 1) - index));
}

/** Returns the value at a path, or undefined if there is none. */
export function findValue(
  text: string,
  path: readonly string[],
  reading = strict,
): { readonly value: unknown } | undefined {
  const node = findNode(readTree(text, reading), path);
  return node && { value: readValue(node) };
}

/**
 * Parses JSON into a tree with text positions.
 *
 * @throws SyntaxError for invalid JSON; TypeError if the text is nested too deeply
 */
function readTree(text: string, { comments }: JsonReading): Node {
  // jsonc-parser also accepts comments and other extensions, which other programs that read the file would
  // reject.
  if (!comments) JSON.parse(text);
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: comments });
    if (errors.length > 0) throw new SyntaxError("it is not JSON");
    if (root) return root;
  } catch (error) {
    // The parser is recursive, so deeply nested input can overflow the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  throw new TypeError("it is nested too deeply");
}

function findNode(root: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, name) => {
    // If several members have the same name, the last one applies, as in JSON.parse. jsonc-parser's own
    // search returns the first.
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

/** Returns the name of an object's member. Undefined for an item of a list. */
function nameOf({ type, children }: Node): unknown {
  return type === "property" ? children?.[0]?.value : undefined;
}

function valueNodeOf(child: Node): Node {
  return (child.type === "property" && child.children?.[1]) || child;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/**
 * Returns the value as JSON.parse would. The objects that jsonc-parser creates have no prototype, so they
 * would not be deeply equal to other objects.
 */
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

/** Inserts the value at the beginning of its parent, so that no existing line needs an additional comma. */
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

/** Returns the indentation of one level, taken from the text's first indented line. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function indentOfLine(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
