import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from "node:crypto";
import type { Message } from "@merkle/wire";
import {
  type AuditKey,
  bundleFiles,
  createDocumentEntry,
  createFeedEntry,
  encodeHead,
  encodeManifest,
  encodeSuccession,
  type FeedLine,
  growTree,
  type Head,
  type HeadAbout,
  hashContent,
  hashEntry,
  hashSession,
  type Manifest,
  type SessionInfo,
  type SignedHead,
  stateFileOfFormat1,
  toAuditKeyId,
  toCanonicalJson,
  toHex,
  toRedactedContent,
  writeJsonLine,
} from "@merkle/wire/record";

/** The files in a bundle as text, keyed by name. */
export type BundleTexts = Map<string, string>;

export function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** A broker's audit key and its signing function. */
export interface TestKey {
  readonly key: AuditKey;
  sign(bytes: Uint8Array): string;
}

/** Creates a key. @param previous - the key that signs the new key as its successor */
export function makeKey(previous?: TestKey): TestKey {
  const pair = generateKeyPairSync("ed25519");
  const publicKey = pair.publicKey.export({ format: "jwk" }).x ?? "";
  const since = "2026-05-02T09:00:00.000Z";
  const key_id = toAuditKeyId(Buffer.from(publicKey, "base64url"), sha256);
  const about = { previous: previous?.key.key_id ?? null, public_key: publicKey, since };
  const succession = previous ? previous.sign(encodeSuccession(about)) : null;
  return {
    key: { key_id, ...about, succession },
    sign: (bytes) => sign(null, bytes, pair.privateKey).toString("base64url"),
  };
}

export function signHead(head: Head, { sign }: TestKey): SignedHead {
  return { ...head, signature: sign(encodeHead(head)) };
}

export interface MadeBundle {
  readonly texts: BundleTexts;
  readonly recordId: string;
  readonly key: TestKey;
  readonly lines: readonly FeedLine[];
  /** Returns the signed head for the first `size` messages. */
  headAt(size: number): SignedHead;
}

/**
 * Builds a record as a broker would export it. It contains chat from two teams, one private and one redacted message,
 * three document versions, a sealed conclusion, and some messages after the conclusion.
 */
export function makeBundle({
  messages = 40,
  sealedAt = 30,
  sealedSize = sealedAt,
  keys = [makeKey()],
  signer = keys.at(-1),
  format = 2,
  recordId = randomUUID(),
}: {
  messages?: number;
  sealedAt?: number;
  /** The number of messages that the conclusion's head claims to cover. */
  sealedSize?: number;
  keys?: readonly TestKey[];
  /** The key that signs the heads. The newest key signs the manifest. */
  signer?: TestKey | undefined;
  format?: Manifest["version"];
  recordId?: string;
} = {}): MadeBundle {
  const epoch = randomUUID();
  const key = signer ?? makeKey();
  const session = makeSession(recordId);
  const roster = `${toCanonicalJson({ participants: [], peers: [] })}\n`;
  const state =
    format === 1
      ? `${toCanonicalJson({ entries: [] })}\n`
      : `${toCanonicalJson({ key: "deploy", value: { frozen: true }, deleted: false, version: 1, updatedBy: "Team 1", updatedAt: at(9) })}\n`;
  const about: HeadAbout | undefined =
    format === 1
      ? undefined
      : {
          session: hashSession({ session }, sha256),
          roster: toHex(sha256(Buffer.from(roster))),
          state: toHex(sha256(Buffer.from(state))),
        };
  const teams = [randomUUID(), randomUUID()];

  const versions = growTree(sha256);
  const versionLines: string[] = [];
  let lastVersion: string | null = null;
  let text = "";
  const documents = [headOfDocument()];
  function headOfDocument(): Head["document"] {
    return { version: versions.size, hash: lastVersion, root: toHex(versions.root()) };
  }
  for (const version of [1, 2, 3]) {
    const salt = randomBytes(16);
    text = `# Draft ${version} of ${recordId}\n\nNaïve “quotes” and 🌲.\n`;
    const hash = hashContent(salt, text, sha256);
    const about = {
      session_id: recordId,
      version,
      written_by_team_id: teams[0] ?? "",
      written_by: "Alex's Team",
      written_at: at(version),
      after_sequence: version,
    };
    const leaf = hashEntry(createDocumentEntry(about, { recordId, contentHash: hash }), sha256);
    versions.push(leaf);
    lastVersion = hash;
    const isRemoved = version === 1;
    versionLines.push(
      writeJsonLine({
        version: about,
        content: isRemoved ? null : text,
        salt: isRemoved ? null : salt.toString("hex"),
        content_hash: hash,
        hash: toHex(leaf),
        root: toHex(versions.root()),
      }),
    );
    documents.push(headOfDocument());
  }
  const documentNow = headOfDocument();

  const feed = growTree(sha256);
  const lines: FeedLine[] = [];
  const roots = [toHex(feed.root())];
  function headAt(size: number): SignedHead {
    const root = roots[size] ?? "";
    const document = size === 0 ? (documents[0] ?? documentNow) : documentNow;
    const logs = { epoch, session_id: recordId, size, root, document };
    return signHead({ ...logs, about, at: at(size), key_id: key.key.key_id }, key);
  }
  const seals: SignedHead[] = [];
  for (let sequence = 1; sequence <= messages; sequence++) {
    const isSystem = [1, 8, 9, sealedAt + 1].includes(sequence);
    const whole = contentOf(sequence);
    const salt = randomBytes(16);
    const message: Message = {
      id: randomUUID(),
      session_id: recordId,
      sequence,
      type: isSystem ? "system" : "chat",
      posted_by_team_id: isSystem ? null : (teams[sequence % 2] ?? null),
      from: isSystem
        ? null
        : {
            team: `Team ${sequence % 2}`,
            ...(sequence % 3 ? { peer: "atlas" } : {}),
            human: sequence % 5 === 0,
          },
      to: sequence % 4 ? ["*"] : ["@backend", "Team 1/atlas"],
      priority: "next",
      ...(sequence === 8 ? { reply_to: 5 } : sequence % 7 ? {} : { reply_to: sequence - 1 }),
      content: whole,
      posted_at: at(sequence),
      ...(isSystem ? whole : {}),
    };
    const hash = hashContent(salt, toCanonicalJson(whole), sha256);
    const leaf = hashEntry(createFeedEntry(message, { recordId, contentHash: hash }), sha256);
    feed.push(leaf);
    roots.push(toHex(feed.root()));
    const isRemoved = sequence === 5;
    const isPrivate = sequence === 6;
    lines.push({
      message: {
        ...message,
        content: isRemoved
          ? toRedactedContent(message)
          : isPrivate
            ? { private: true, bytes: Math.floor((sealedBox.length * 3) / 4) }
            : whole,
      },
      salt: isRemoved || isPrivate ? null : salt.toString("hex"),
      content_hash: hash,
      hash: toHex(leaf),
      root: toHex(feed.root()),
    });
  }

  function contentOf(sequence: number): Record<string, unknown> {
    if (sequence === 1) return { event: "team_joined", team: "Team 1", at: at(1) };
    if (sequence === 8)
      return { event: "message_redacted", by: "Ana", redacted_sequence: 5, reason: "a key", at: at(8) };
    if (sequence === 9) {
      const document_versions = { from: 1, to: 1 };
      return { event: "message_redacted", by: "Ana", document_versions, reason: "a key", at: at(9) };
    }
    if (sequence === 6)
      return { private: true, sealed: `mks1.${"a".repeat(200)}.${"b".repeat(32)}.${sealedBox}` };
    if (sequence === sealedAt + 1) {
      const head = headAt(sealedSize);
      seals.push(head);
      return { event: "session_concluded", by: "Team 1", document_version: 3, at: at(sequence), head };
    }
    return {
      text: `Message ${sequence}: naïve “quotes” and 🌲`,
      ...(sequence % 6 ? {} : { kind: "decision" }),
    };
  }

  const head = headAt(messages);
  const texts: BundleTexts = new Map([
    [bundleFiles.feed, lines.map(writeJsonLine).join("")],
    [bundleFiles.versions, versionLines.join("")],
    [bundleFiles.document, text],
    [bundleFiles.roster, roster],
    [format === 1 ? stateFileOfFormat1 : bundleFiles.state, state],
    [bundleFiles.heads, [headAt(0), ...seals, head].map(writeJsonLine).join("")],
    [bundleFiles.keys, writeJsonLine(keys.map((each) => each.key))],
  ]);
  signManifest(texts, { session, head, key: keys.at(-1) ?? key, version: format });
  return { texts, recordId, key, lines, headAt };
}

const at = (number: number) => new Date(Date.UTC(2026, 4, 2, 10, 0, number)).toISOString();

export function makeSession(recordId: string): SessionInfo {
  return {
    session_id: recordId,
    slug: "auth-refactor",
    title: "Auth refactor",
    description: "",
    status: "closed",
    created_at: "2026-05-02T10:00:00.000Z",
    closed_at: "2026-05-02T11:00:00.000Z",
  };
}

const sealedBox = "c".repeat(64);

/** Writes a manifest that matches the current files, and signs it as the exporting broker would. */
export function signManifest(
  texts: BundleTexts,
  {
    session,
    head,
    key,
    version = 2,
    exportedAt = "2026-05-02T12:00:00.000Z",
  }: {
    session: SessionInfo;
    head: SignedHead;
    key: TestKey;
    version?: Manifest["version"];
    exportedAt?: string;
  },
): void {
  texts.delete(bundleFiles.manifest);
  const unsigned: Omit<Manifest, "signature"> = {
    format: "merkle-bundle",
    version,
    session,
    epoch: head.epoch,
    exported_at: exportedAt,
    size: head.size,
    document_version: head.document.version,
    head,
    files: [...texts].map(([name, text]) => ({
      name,
      bytes: Buffer.byteLength(text),
      sha256: toHex(sha256(Buffer.from(text))),
    })),
    key_id: key.key.key_id,
  };
  texts.set(
    bundleFiles.manifest,
    writeJsonLine({ ...unsigned, signature: key.sign(encodeManifest(unsigned)) }),
  );
}

/**
 * Returns the bundle as a source for the verifier. The pieces are small enough to split lines, and even characters,
 * between two pieces.
 */
export function toBundleSource(texts: ReadonlyMap<string, string | Uint8Array>, pieceBytes = 1009) {
  return {
    names: [...texts.keys()],
    open(name: string) {
      const text = texts.get(name);
      return text === undefined ? undefined : splitIntoPieces(Buffer.from(text), pieceBytes);
    },
  };
}

async function* splitIntoPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
