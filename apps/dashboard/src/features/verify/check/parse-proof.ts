import { parseHead, type SignedHead } from "@merkle/wire/record";

/** A proof from the broker, or pasted by the user. */
export interface Proof {
  readonly record_id: string;
  readonly size: number;
  readonly root: string;
  readonly head: SignedHead | null;
  readonly inclusion: Inclusion;
}

export interface Inclusion {
  readonly log: "feed" | "document";
  /** The message's sequence, or the document's version. */
  readonly number: number;
  readonly entry: Readonly<Record<string, unknown>>;
  /** The recorded text. Null if it was removed or is private. The salt is then null as well. */
  readonly content: string | null;
  readonly salt: string | null;
  readonly leaf: string;
  readonly path: readonly string[];
}

/** Maximum length of a path, and therefore the maximum height of a tree. No stored tree is higher. */
const pathMax = 64;

/**
 * Parses a pasted proof, which may be any text.
 *
 * @throws Error whose message says what was expected
 */
export function parseProofText(text: string): Proof {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("This is not valid JSON. Paste the whole proof, from the first brace to the last.");
  }
  return parseProof(value);
}

export function parseProof(value: unknown): Proof {
  const { record_id, size, root, head, inclusion } = parseFields(value, "The proof");
  if (inclusion === null || inclusion === undefined) {
    throw new Error("This proof does not cover a message. Request a message's proof by its sequence number.");
  }
  const { log, number, entry, content, salt, leaf, path } = parseFields(inclusion, "inclusion");
  if (log !== "feed" && log !== "document") throw missingField("inclusion.log (feed or document)");
  if (!Array.isArray(path) || path.length > pathMax) throw missingField("inclusion.path (a list of hashes)");
  return {
    record_id: parseText(record_id, "record_id"),
    size: parseCount(size, "size"),
    root: parseHash(root, "root"),
    head: head === null || head === undefined ? null : parseHead(head, "head"),
    inclusion: {
      log,
      number: parseCount(number, "inclusion.number"),
      entry: parseFields(entry, "inclusion.entry"),
      content: content === null ? null : parseText(content, "inclusion.content"),
      salt: salt === null ? null : parseText(salt, "inclusion.salt"),
      leaf: parseHash(leaf, "inclusion.leaf"),
      path: path.map((each) => parseHash(each, "inclusion.path")),
    },
  };
}

function parseFields(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw missingField(`${name} (an object)`);
  return { ...value };
}

function parseText(value: unknown, name: string): string {
  if (typeof value !== "string") throw missingField(`${name} (a text)`);
  return value;
}

function parseCount(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw missingField(`${name} (a whole number)`);
  return value;
}

function parseHash(value: unknown, name: string): string {
  if (typeof value !== "string" || !/^[0-9a-f]{64}$/.test(value))
    throw missingField(`${name} (64 hexadecimal digits)`);
  return value;
}

function missingField(what: string): Error {
  return new Error(`This is not a proof: it has no ${what.startsWith("The ") ? "fields" : what}.`);
}
