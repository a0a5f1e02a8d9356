/** A part of a JSON text, and where it stands: from its first character to behind its last. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** Of a list or an object; each with where it begins, an object's with its name. */
  readonly members: readonly JsonMember[] | undefined;
}

interface JsonMember {
  readonly start: number;
  readonly name: string | undefined;
  readonly node: JsonNode;
}

/**
 * Where everything in a JSON text stands.
 *
 * @throws SyntaxError for anything that is not JSON
 */
export function readJsonText(text: string): JsonNode {
  // What is not JSON is told by Node's own words; from here on the text is known to be right.
  JSON.parse(text);
  return readNode(text, skipSpace(text, 0));
}

/** The part at that path; undefined when there is none. */
export function findNode(root: JsonNode, path: readonly string[]): JsonNode | undefined {
  return path.reduce<JsonNode | undefined>(
    // Of members with one name the last counts, as everywhere.
    (node, name) => node?.members?.findLast((member) => member.name === name)?.node,
    root,
  );
}

function readNode(text: string, start: number): JsonNode {
  const first = text[start];
  if (first !== "{" && first !== "[") {
    const end = first === '"' ? endOfString(text, start) : endOfWord(text, start);
    return { start, end, value: JSON.parse(text.slice(start, end)), members: undefined };
  }
  const members: JsonMember[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== "}" && text[at] !== "]") {
    const member = readMember(text, at, first === "{");
    members.push(member);
    at = skipSpace(text, member.node.end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return { start, end: at + 1, value: JSON.parse(text.slice(start, at + 1)), members };
}

function readMember(text: string, start: number, isNamed: boolean): JsonMember {
  if (!isNamed) return { start, name: undefined, node: readNode(text, start) };
  const end = endOfString(text, start);
  const colon = skipSpace(text, end);
  const name: unknown = JSON.parse(text.slice(start, end));
  return { start, name: String(name), node: readNode(text, skipSpace(text, colon + 1)) };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (/[ \t\r\n]/.test(text[at] ?? "")) at += 1;
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (/[^\s,\]}]/.test(text[at] ?? " ")) at += 1;
  return at;
}
