import { isDeepStrictEqual } from "node:util";
import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import type { Addition } from "../clients/client.js";

/** How to read JSON. Set `comments` only if the other programs that read the file accept comments. */
interface JsonSyntax {
  readonly hasComments: boolean;
}

const strict: JsonSyntax = { hasComments: false };

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
export function planAddition(text: string, addition: Addition, syntax = strict): TextEdit | null {
  const { node, missing } = findDeepest(readTree(text, syntax), addition.path);
  if (missing.length === 0 && addition.kind === "member") return planReplacement(text, node, addition.value);
  const isList = missing.length === 0;
  if (isList && node.children?.some((item) => hasValue(item, addition.value))) return null;
  if (node.type !== (isList ? "array" : "object")) {
    throw new TypeError(`${addition.path.join(".")} already has another value`);
  }
  const value = addition.kind === "item" && !isList ? [addition.value] : addition.value;
  const [name, ...inner] = missing;
  const whole = inner.reduceRight<unknown>((within, each) => ({ [each]: within }), value);
  return planInsertion(text, node, name, whole);
}

/**
 * Returns the edit that removes a value, and those lists and objects in `made` that become empty. Returns
 * null if the text does not contain the value.
 */
export function planRemoval(
  text: string,
  addition: Addition,
  made: readonly string[][],
  syntax = strict,
): TextEdit | null {
  const path = addition.kind === "item" ? addition.path : addition.path.slice(0, -1);
  const container = findNode(readTree(text, syntax), path);
  const name = addition.kind === "member" ? addition.path.at(-1) : undefined;
  const children = container?.children ?? [];
  const index = children.findLastIndex(
    (each) => getMemberName(each) === name && hasValue(getValueNode(each), addition.value),
  );
  const child = children[index];
  if (!container || !child) return null;
  const isEmptied = children.length === 1 && made.some((each) => isDeepStrictEqual(each, path));
  if (isEmptied && path.length > 0) {
    return planRemoval(text, { kind: "member", path, value: readValue(container) }, made, syntax);
  }
  const [before, after] = [children[index - 1], children[index + 1]];
  const [start, end] = after
    ? // Keeps comments before the removed value and before the next one.
      [text.slice(0, child.offset).trimEnd().length, text.indexOf(",", getEnd(child)) + 1]
    : [before ? getEnd(before) : container.offset + 1, before ? getEnd(child) : getEnd(container) - 1];
  return { at: start, removed: text.slice(start, end), added: "" };
}

export function applyEdit(text: string, { at, removed, added }: TextEdit): string {
  return text.slice(0, at) + added + text.slice(at + removed.length);
}

/** Returns the paths of the lists and objects that must be created before the addition can be made. */
export function listMissingParents(text: string, { kind, path }: Addition, syntax = strict): string[][] {
  const { missing } = findDeepest(readTree(text, syntax), kind === "item" ? path : path.slice(0, -1));
  return missing.map((_, index) => path.slice(0, path.length - (kind === "item" ? 0 : 1) - index));
}

/** Returns the value at a path, or undefined if there is none. */
export function findValue(
  text: string,
  path: readonly string[],
  syntax = strict,
): { readonly value: unknown } | undefined {
  const node = findNode(readTree(text, syntax), path);
  return node && { value: readValue(node) };
}

/**
 * Parses JSON into a tree with text positions.
 *
 * @throws SyntaxError for invalid JSON; TypeError if the text is nested too deeply
 */
function readTree(text: string, { hasComments }: JsonSyntax): Node {
  // jsonc-parser also accepts comments and other extensions, which other programs that read the file would
  // reject.
  if (!hasComments) JSON.parse(text);
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: hasComments });
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
    const member = node?.children?.findLast((child) => getMemberName(child) === name);
    return member && getValueNode(member);
  }, root);
}

function findDeepest(root: Node, path: readonly string[]): { node: Node; missing: readonly string[] } {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNode(root, path.slice(0, length));
    if (node) return { node, missing: path.slice(length) };
  }
  return { node: root, missing: path };
}

/** Returns the name of an object's member. Undefined for an item of a list. */
function getMemberName({ type, children }: Node): unknown {
  return type === "property" ? children?.[0]?.value : undefined;
}

function getValueNode(child: Node): Node {
  return (child.type === "property" && child.children?.[1]) || child;
}

function getEnd({ offset, length }: Node): number {
  return offset + length;
}

/**
 * Returns the value as JSON.parse would. The objects that jsonc-parser creates have no prototype, so they
 * would not be deeply equal to other objects.
 */
function readValue(node: Node): unknown {
  return JSON.parse(JSON.stringify(getNodeValue(node)));
}

function hasValue(node: Node, value: unknown): boolean {
  return isDeepStrictEqual(readValue(node), value);
}

function planReplacement(text: string, node: Node, value: unknown): TextEdit | null {
  if (hasValue(node, value)) return null;
  const indent = getLineIndent(text, node.offset);
  return {
    at: node.offset,
    removed: text.slice(node.offset, getEnd(node)),
    added: format(text, value, indent),
  };
}

/** Inserts the value at the beginning of its parent, so that no existing line needs an additional comma. */
function planInsertion(text: string, node: Node, name: string | undefined, value: unknown): TextEdit {
  const [first] = node.children ?? [];
  const at = node.offset + 1;
  const space = text.slice(at, first ? first.offset : getEnd(node) - 1);
  const isOneLine = first ? !space.includes("\n") : isSingleLine(text);
  const label = name === undefined ? "" : `${JSON.stringify(name)}:${isOneLine ? "" : " "}`;
  if (isOneLine) {
    return { at, removed: "", added: `${label}${JSON.stringify(value)}${first ? "," : ""}` };
  }
  const outer = getLineIndent(text, node.offset);
  const indent = first ? getLineIndent(text, first.offset) : outer + detectIndentUnit(text);
  const added = `${detectLineBreak(text)}${indent}${label}${format(text, value, indent)}`;
  if (first) return { at, removed: "", added: `${added},` };
  return { at, removed: space, added: `${added}${detectLineBreak(text)}${outer}` };
}

function format(text: string, value: unknown, indent: string): string {
  if (isSingleLine(text)) return JSON.stringify(value);
  const [first = "", ...rest] = JSON.stringify(value, null, detectIndentUnit(text)).split("\n");
  return [first, ...rest.map((line) => indent + line)].join(detectLineBreak(text));
}

function isSingleLine(text: string): boolean {
  return !text.trim().includes("\n") && /^[{[]\s*[^\s}\]]/.test(text.trim());
}

function detectLineBreak(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Returns the indentation of one level, taken from the text's first indented line. */
function detectIndentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function getLineIndent(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
