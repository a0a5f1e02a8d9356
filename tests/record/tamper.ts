import { randomUUID } from "node:crypto";
import {
  type AuditKey,
  bundleFiles,
  createFeedEntry,
  encodeSuccession,
  type FeedLine,
  growTree,
  hashContent,
  hashEntry,
  type Manifest,
  type SignedHead,
  stateFileOfFormat1,
  toCanonicalJson,
  toHex,
  toRedactedContent,
  writeJsonLine,
} from "@merkle/wire/record";
import type { Random } from "../faults/random.js";
import { type BundleTexts, makeKey, sha256, signHead, signManifest, type TestKey } from "./made-bundle.js";

/** The expected position of the first finding: a range of messages or versions, or a file. */
export type ExpectedFinding =
  | { readonly log: "feed" | "document"; readonly from: number; readonly to: number }
  | { readonly file: string };

export interface Tampering {
  readonly name: string;
  readonly expected: ExpectedFinding;
  /**
   * True if the attacker used the broker's own key. Only a client that saw the record before the attack can detect
   * this.
   */
  readonly byInsider?: boolean;
}

/** A bundle to tamper with, and the broker's signing key, which some attackers have. */
export interface Victim {
  readonly texts: BundleTexts;
  readonly key: TestKey;
  /** A bundle of another session from the same broker. */
  readonly other: ReadonlyMap<string, string>;
}

/** Makes a random change to a bundle. Returns where the change must be found. */
export function tamperWithBundle(victim: Victim, random: Random): Tampering {
  return random.pick(kinds)(victim, random);
}

type Kind = (victim: Victim, random: Random) => Tampering;

/** How many hashes an attacker recomputes after editing one line: from none to all roots from that line on. */
const depths = ["nothing", "content hash", "hash", "root", "all roots after it"] as const;

const editMessage: Kind = (victim, random) => {
  const lines = readFeed(victim.texts);
  const [name, edit] = random.pick(edits);
  // Recomputing a hash that was itself edited would undo the edit.
  const depth = name.includes("hash") || name === "the root" ? "nothing" : random.pick(depths);
  const number = pickLine(lines, random, name);
  const edited = edit(lineAt(lines, number), random);
  const next = lines.with(number - 1, edited);
  if (depth !== "nothing") rehash(next, number, depth);
  writeFeed(victim.texts, next);
  const to = depth === "root" ? number + 1 : depth === "all roots after it" ? lines.length : number;
  // The first signed head that covers the message contradicts the edit.
  const refuted =
    depth === "root" || depth === "all roots after it" ? firstHeadFrom(victim.texts, number) : to;
  return named(`edit ${name} of message ${number}, make anew: ${depth}`, number, Math.max(to, refuted));
};

type Edit = (line: FeedLine, random: Random) => FeedLine;

const withMessage =
  (change: (message: FeedLine["message"], random: Random) => Partial<FeedLine["message"]>): Edit =>
  (line, random) => ({ ...line, message: { ...line.message, ...change(line.message, random) } });

const edits: readonly [readonly [string, Edit], ...(readonly [string, Edit])[]] = [
  [
    "the text",
    withMessage(({ content }) => ({ content: { ...content, text: `${String(content["text"])} not` } })),
  ],
  ["the kind", withMessage(({ content }) => ({ content: { ...content, kind: "decision", text: "x" } }))],
  ["the salt", (line) => ({ ...line, salt: "00".repeat(16) })],
  ["the author", withMessage(({ from }) => ({ from: { human: false, ...from, team: "Mallory" } }))],
  ["who is human", withMessage(({ from }) => ({ from: from && { ...from, human: !from.human } }))],
  ["the team", withMessage(() => ({ posted_by_team_id: randomUUID() }))],
  ["the time", withMessage(() => ({ posted_at: "2020-01-01T00:00:00.000Z" }))],
  ["the recipients", withMessage(({ to }) => ({ to: [...to, "Mallory"] }))],
  ["the priority", withMessage(({ priority }) => ({ priority: priority === "now" ? "low" : "now" }))],
  ["what it replies to", withMessage(({ reply_to = 1 }) => ({ reply_to: reply_to + 1 }))],
  ["the id", withMessage(() => ({ id: randomUUID() }))],
  ["the hash", (line) => ({ ...line, hash: "1".repeat(64) })],
  ["the root", (line) => ({ ...line, root: "2".repeat(64) })],
  ["the content hash", (line) => ({ ...line, content_hash: "3".repeat(64) })],
];

/** Makes a message look redacted. The log entry and all its hashes stay unchanged. */
const feignRedaction: Kind = ({ texts }, random) => {
  const lines = readFeed(texts);
  const number = pickLine(lines, random, "the text");
  const { message, ...line } = lineAt(lines, number);
  writeFeed(
    texts,
    lines.with(number - 1, {
      ...line,
      salt: null,
      message: { ...message, content: toRedactedContent(message) },
    }),
  );
  return named(`feign a redaction of message ${number}`, number);
};

const dropMessages: Kind = ({ texts }, random) => {
  const lines = readFeed(texts);
  const number = random.between(1, lines.length - 1);
  const many = random.between(1, Math.min(3, lines.length - number));
  writeFeed(texts, lines.toSpliced(number - 1, many));
  return named(`drop ${many} messages from ${number}`, number);
};

const dropAndRenumber: Kind = ({ texts }, random) => {
  const lines = readFeed(texts);
  const number = random.between(1, lines.length - 1);
  writeFeed(texts, renumber(lines.toSpliced(number - 1, 1)));
  return named(`drop message ${number} and renumber`, number);
};

const insertMessage: Kind = ({ texts }, random) => {
  const lines = readFeed(texts);
  const number = random.between(1, lines.length);
  const copy = lineAt(lines, random.between(1, lines.length));
  const isRenumbered = random.next() < 0.5;
  const inserted = { ...copy, message: { ...copy.message, id: randomUUID() } };
  const next = lines.toSpliced(number - 1, 0, inserted);
  writeFeed(texts, isRenumbered ? renumber(next) : next);
  // The inserted copy resembles its neighbour, so the verifier may report either position.
  return named(
    `insert a message at ${number}${isRenumbered ? " and renumber" : ""}`,
    number - 1,
    number + 1,
    copy.message.sequence,
  );
};

const swapMessages: Kind = ({ texts }, random) => {
  const lines = readFeed(texts);
  const first = random.between(1, lines.length - 1);
  const second = random.between(first + 1, lines.length);
  const next = lines.with(first - 1, lineAt(lines, second)).with(second - 1, lineAt(lines, first));
  const isRenumbered = random.next() < 0.5;
  writeFeed(texts, isRenumbered ? renumber(next) : next);
  return named(`swap messages ${first} and ${second}${isRenumbered ? " and renumber" : ""}`, first);
};

const cutFeed: Kind = ({ texts }, random) => {
  const lines = readFeed(texts);
  const keep = random.between(0, lines.length - 1);
  writeFeed(texts, lines.slice(0, keep));
  if (random.next() < 0.5) editManifest(texts, (manifest) => ({ ...manifest, size: keep }));
  return named(`cut the feed after ${keep}`, keep + 1);
};

const cutInLine: Kind = ({ texts }, random) => {
  const text = textOf(texts, bundleFiles.feed);
  const kept = text.slice(0, random.between(1, text.length - 2));
  texts.set(bundleFiles.feed, kept);
  const number = kept.split("\n").length;
  return named(`cut the feed in line ${number}`, number);
};

const editVersion: Kind = ({ texts }, random) => {
  const lines = textOf(texts, bundleFiles.versions).split("\n").slice(0, -1);
  const version = random.between(1, lines.length);
  const line = JSON.parse(lines[version - 1] ?? "");
  const way = random.pick(["text", "author", "time", "drop", "salt"] as const);
  if (way === "text") line.content = `${line.content} more`;
  if (way === "author") line.version.written_by = "Mallory";
  if (way === "time") line.version.written_at = "2020-01-01T00:00:00.000Z";
  if (way === "salt") line.salt = "00".repeat(16);
  const next =
    way === "drop" ? lines.toSpliced(version - 1, 1) : lines.with(version - 1, toCanonicalJson(line));
  texts.set(bundleFiles.versions, next.map((each) => `${each}\n`).join(""));
  return { name: `${way} of version ${version}`, expected: { log: "document", from: version, to: version } };
};

const editFile: Kind = ({ texts }, random) => {
  const file = random.pick([
    bundleFiles.document,
    bundleFiles.roster,
    bundleFiles.state,
    bundleFiles.heads,
    bundleFiles.keys,
    bundleFiles.manifest,
  ]);
  const text = textOf(texts, file);
  const place = random.between(0, Math.max(0, text.length - 2));
  const letter = text[place] === "0" ? "1" : "0";
  texts.set(file, text.slice(0, place) + letter + text.slice(place + 1));
  return { name: `letter ${place} of ${file}`, expected: { file } };
};

const dropHead: Kind = ({ texts }, random) => {
  const lines = textOf(texts, bundleFiles.heads).split("\n").slice(0, -1);
  const place = random.between(0, lines.length - 1);
  texts.set(
    bundleFiles.heads,
    lines
      .toSpliced(place, 1)
      .map((line) => `${line}\n`)
      .join(""),
  );
  return { name: `drop head ${place + 1}`, expected: { file: bundleFiles.heads } };
};

/** Re-signs the entire record after an edit, with the attacker's own key or with the broker's key. */
const forgeWhole: Kind = (victim, random) => {
  const { texts } = victim;
  const isInsider = random.next() < 0.5;
  const key = isInsider ? victim.key : makeKey();
  const lines = readFeed(texts);
  const number = pickLine(lines, random, "the text");
  const edited = edits[0][1](lineAt(lines, number), random);
  const next = lines.with(number - 1, edited);
  rehash(next, number, "all roots after it");
  const manifest: Manifest = JSON.parse(textOf(texts, bundleFiles.manifest));
  const resign = (head: SignedHead): SignedHead => {
    const { signature: _, ...about } = head;
    return signHead(
      { ...about, key_id: key.key.key_id, root: head.size === 0 ? head.root : lineAt(next, head.size).root },
      key,
    );
  };
  const sealed = next.findIndex((line) => line.message.content["head"] !== undefined);
  if (sealed >= 0) {
    const line = lineAt(next, sealed + 1);
    const { head: old, ...content } = line.message.content;
    // A conclusion's event always contains a head.
    const head = resign(old as SignedHead);
    const event = { ...content, head };
    next[sealed] = { ...line, message: { ...line.message, ...event, content: event } };
    rehash(next, sealed + 1, "all roots after it");
  }
  writeFeed(texts, next);
  const heads = textOf(texts, bundleFiles.heads).split("\n").slice(0, -1);
  texts.set(bundleFiles.heads, heads.map((line) => writeJsonLine(resign(JSON.parse(line)))).join(""));
  texts.set(bundleFiles.keys, writeJsonLine([key.key]));
  signManifest(texts, { session: manifest.session, head: resign(manifest.head), key });
  const forged = named(
    `forge message ${number} and sign all anew, ${isInsider ? "with the broker's key" : "with another key"}`,
    // With another key, the head in the conclusion changes, and so does the event that contains the head.
    isInsider || sealed < 0 ? number : Math.min(number, sealed + 1),
    lines.length,
  );
  // A record that is signed entirely with another key is a different record. A client that trusts the original key
  // rejects its manifest.
  return isInsider ? { ...forged, byInsider: true } : { ...forged, expected: { file: bundleFiles.manifest } };
};

/** Changes data that is in neither log, or removes text, and re-signs the manifest with another key. */
const resign: Kind = (victim, random) => {
  const { texts, other } = victim;
  const [name, change] = random.pick(unsignedChanges);
  const manifest: Manifest = JSON.parse(textOf(texts, bundleFiles.manifest));
  const changed = { ...manifest, ...change({ texts, manifest, other, random }) };
  const [how, forge] = random.pick(ownKeys);
  const key = forge(victim);
  const { session, head, version, exported_at } = changed;
  signManifest(texts, { session, head, key, version, exportedAt: exported_at });
  return { name: `${name}, signed anew: ${how}`, expected: { file: bundleFiles.manifest } };
};

/** The ways to add an attacker's own key to the record's keys. */
const ownKeys: readonly [OwnKey, ...OwnKey[]] = [
  ["own key added", ({ texts, key }) => withKeys(texts, (own) => [key.key, own.key])],
  ["own key in the place of the broker's", ({ texts }) => withKeys(texts, (own) => [own.key])],
  [
    "own key that says to succeed the broker's",
    ({ texts, key }) => {
      const own = makeKey({ key: key.key, sign: makeKey().sign });
      texts.set(bundleFiles.keys, writeJsonLine([key.key, own.key]));
      return own;
    },
  ],
  [
    "own key that vouches for the broker's",
    ({ texts, key }) => {
      const own = makeKey();
      const about = { previous: own.key.key_id, public_key: key.key.public_key, since: key.key.since };
      const vouched = { ...key.key, ...about, succession: own.sign(encodeSuccession(about)) };
      texts.set(bundleFiles.keys, writeJsonLine([own.key, vouched]));
      return own;
    },
  ],
  [
    "the broker's signature of before",
    ({ key }) => {
      const kept = makeKey().sign(Buffer.from("another time"));
      return { key: key.key, sign: () => kept };
    },
  ],
];

type OwnKey = readonly [name: string, forge: (victim: Victim) => TestKey];

function withKeys(texts: BundleTexts, list: (own: TestKey) => AuditKey[]): TestKey {
  const own = makeKey();
  texts.set(bundleFiles.keys, writeJsonLine(list(own)));
  return own;
}

interface Changing {
  readonly texts: BundleTexts;
  readonly manifest: Manifest;
  readonly other: ReadonlyMap<string, string>;
  readonly random: Random;
}

type UnsignedChange = readonly [name: string, change: (given: Changing) => Partial<Manifest>];

const withSession =
  (session: Partial<Manifest["session"]>) =>
  ({ manifest }: Changing): Partial<Manifest> => ({ session: { ...manifest.session, ...session } });

const unsignedChanges: readonly [UnsignedChange, ...UnsignedChange[]] = [
  ["nothing", () => ({})],
  ["the title", withSession({ title: "What never was" })],
  ["the slug", withSession({ slug: "another" })],
  ["the description", withSession({ description: "What never was" })],
  ["the status", withSession({ status: "active" })],
  ["the times", withSession({ created_at: "2020-01-01T00:00:00.000Z", closed_at: null })],
  ["the time of the export", () => ({ exported_at: "2020-01-01T00:00:00.000Z" })],
  ["the roster", replaceFile(bundleFiles.roster, `{"participants":[],"peers":[],"x":1}\n`)],
  [
    "the roster, with a key twice",
    replaceFile(bundleFiles.roster, `{"participants":[],"participants":[]}\n`),
  ],
  ["the state", replaceFile(bundleFiles.state, "")],
  ["an extra file", replaceFile("README.txt", "Trust this.")],
  ["the document", replaceFile(bundleFiles.document, "# What never was\n")],
  [
    "the document, with the newest version blank",
    ({ texts }) => {
      blankVersion(texts, 3);
      texts.set(bundleFiles.document, "# What never was\n");
      return {};
    },
  ],
  [
    "a version that is blank",
    ({ texts }) => {
      blankVersion(texts, 2);
      return {};
    },
  ],
  [
    "a message that is blank",
    ({ texts, random }) => {
      const lines = readFeed(texts);
      const number = pickLine(lines, random, "the text");
      const { message, ...line } = lineAt(lines, number);
      const content = toRedactedContent(message);
      writeFeed(texts, lines.with(number - 1, { ...line, salt: null, message: { ...message, content } }));
      return {};
    },
  ],
  ["an older head", ({ texts, manifest }) => cutBack(texts, manifest)],
  [
    "format 1",
    ({ texts, manifest }) => {
      texts.set(stateFileOfFormat1, '{"entries":[]}\n');
      texts.delete(bundleFiles.state);
      const { about: _, ...head } = manifest.head;
      return { version: 1, head };
    },
  ],
  [
    "a file of another session",
    ({ texts, other, random }) => {
      const names = [...other.keys()].filter((name) => name !== bundleFiles.manifest);
      const file = random.pick([names[0] ?? "", ...names.slice(1)]);
      texts.set(file, other.get(file) ?? "");
      return {};
    },
  ],
  [
    "the head of another session",
    ({ other }) => ({ head: JSON.parse(other.get(bundleFiles.manifest) ?? "").head }),
  ],
];

function replaceFile(file: string, text: string): (given: Changing) => Partial<Manifest> {
  return ({ texts }) => {
    texts.set(file, text);
    return {};
  };
}

function blankVersion(texts: BundleTexts, version: number): void {
  const lines = textOf(texts, bundleFiles.versions).split("\n").slice(0, -1);
  const blank = toCanonicalJson({ ...JSON.parse(lines[version - 1] ?? ""), content: null, salt: null });
  texts.set(bundleFiles.versions, `${lines.with(version - 1, blank).join("\n")}\n`);
}

/** Cuts a record back to an earlier head, and sets the export time to that head's time. */
function cutBack(texts: BundleTexts, { head: newest }: Manifest): Partial<Manifest> {
  const heads = textOf(texts, bundleFiles.heads)
    .split("\n")
    .slice(0, -1)
    .map((line): SignedHead => JSON.parse(line))
    .filter(({ size }) => size < newest.size);
  const head = heads.at(-1);
  if (!head) return {};
  writeFeed(texts, readFeed(texts).slice(0, head.size));
  texts.set(bundleFiles.heads, heads.map(writeJsonLine).join(""));
  if (head.document.version === 0) {
    texts.set(bundleFiles.versions, "");
    texts.set(bundleFiles.document, "");
  }
  return { head, exported_at: head.at };
}

/** Replaces a file with the same file from another session, without re-signing. */
const mixFiles: Kind = ({ texts, other }, random) => {
  const file = random.pick([
    bundleFiles.feed,
    bundleFiles.versions,
    bundleFiles.document,
    bundleFiles.heads,
    bundleFiles.manifest,
  ]);
  texts.set(file, other.get(file) ?? "");
  const where = file === bundleFiles.manifest ? bundleFiles.feed : file;
  return { name: `${file} of another session`, expected: { file: where } };
};

const kinds: readonly [Kind, ...Kind[]] = [
  editMessage,
  editMessage,
  editMessage,
  editMessage,
  editMessage,
  feignRedaction,
  dropMessages,
  dropAndRenumber,
  insertMessage,
  swapMessages,
  cutFeed,
  cutInLine,
  editVersion,
  editFile,
  dropHead,
  forgeWhole,
  mixFiles,
  ...Array.from({ length: 16 }, () => resign),
];

function named(name: string, ...numbers: readonly [number, ...number[]]): Tampering {
  return {
    name,
    expected: { log: "feed", from: Math.max(1, Math.min(...numbers)), to: Math.max(...numbers) },
  };
}

/** Picks a message for an edit. Some edits need a message that still has its text and salt. */
function pickLine(lines: readonly FeedLine[], random: Random, edit: string): number {
  const needsText = ["the text", "the kind", "the salt"].includes(edit);
  const fitting = lines
    .filter(({ message, salt }) => message.type === "chat" && (!needsText || salt !== null))
    .map(({ message }) => message.sequence);
  const [first = 1, ...others] = fitting;
  return random.pick([first, ...others]);
}

/** Recomputes a line's hashes in place, up to `depth`. */
function rehash(lines: FeedLine[], number: number, depth: (typeof depths)[number]): void {
  const { message, salt, ...line } = lineAt(lines, number);
  const content_hash =
    salt === null
      ? line.content_hash
      : hashContent(Buffer.from(salt, "hex"), toCanonicalJson(message.content), sha256);
  lines[number - 1] = { ...line, message, salt, content_hash };
  if (depth === "content hash") return;
  const leaf = hashEntry(
    createFeedEntry(message, { recordId: message.session_id, contentHash: content_hash }),
    sha256,
  );
  lines[number - 1] = { ...line, message, salt, content_hash, hash: toHex(leaf) };
  if (depth === "hash") return;
  const tree = growTree(sha256);
  for (const [index, each] of lines.entries()) {
    tree.push(Buffer.from(each.hash, "hex"));
    if (index === number - 1 || (index >= number && depth === "all roots after it")) {
      lines[index] = { ...each, root: toHex(tree.root()) };
    }
  }
}

function firstHeadFrom(texts: BundleTexts, number: number): number {
  const sizes = textOf(texts, bundleFiles.heads)
    .split("\n")
    .slice(0, -1)
    .map((line): number => JSON.parse(line).size);
  return Math.min(...sizes.filter((size) => size >= number));
}

function renumber(lines: readonly FeedLine[]): FeedLine[] {
  return lines.map((line, index) => ({ ...line, message: { ...line.message, sequence: index + 1 } }));
}

export function readFeed(texts: BundleTexts): FeedLine[] {
  return textOf(texts, bundleFiles.feed)
    .split("\n")
    .slice(0, -1)
    .map((line): FeedLine => JSON.parse(line));
}

function writeFeed(texts: BundleTexts, lines: readonly FeedLine[]): void {
  texts.set(bundleFiles.feed, lines.map(writeJsonLine).join(""));
}

function editManifest(texts: BundleTexts, edit: (manifest: Manifest) => Manifest): void {
  texts.set(bundleFiles.manifest, writeJsonLine(edit(JSON.parse(textOf(texts, bundleFiles.manifest)))));
}

function lineAt(lines: readonly FeedLine[], number: number): FeedLine {
  const line = lines[number - 1];
  if (!line) throw new RangeError(`There is no line ${number}.`);
  return line;
}

function textOf(texts: BundleTexts, file: string): string {
  const text = texts.get(file);
  if (text === undefined) throw new RangeError(`There is no ${file}.`);
  return text;
}
