import type { HeadRow } from "@merkle/db";
import { type HeadAbout, type SignedHead, toHex } from "@merkle/wire/record";

/** A kept head as it was given out, to the letter. */
export function toSignedHead(row: HeadRow): SignedHead {
  return {
    epoch: row.epoch,
    session_id: row.recordId,
    size: row.size,
    root: toHex(row.root),
    document: {
      version: row.documentVersion,
      hash: row.documentHash && toHex(row.documentHash),
      root: toHex(row.documentRoot),
    },
    ...(row.about.length === 0 ? {} : { about: toAbout(row.about) }),
    at: row.at.toISOString(),
    key_id: row.keyId,
    signature: Buffer.from(row.signature).toString("base64url"),
  };
}

/** A signed head, to be kept for a session. */
export function toHeadRow(
  head: SignedHead,
  { sessionId, sealed }: { readonly sessionId: string; readonly sealed: boolean },
): HeadRow {
  const { size, document } = head;
  return {
    sessionId,
    size,
    documentVersion: document.version,
    epoch: head.epoch,
    recordId: head.session_id,
    root: Buffer.from(head.root, "hex"),
    documentHash: document.hash === null ? null : Buffer.from(document.hash, "hex"),
    documentRoot: Buffer.from(document.root, "hex"),
    at: new Date(head.at),
    keyId: head.key_id,
    signature: Buffer.from(head.signature, "base64url"),
    sealed,
    about: aboutBytes(head.about),
  };
}

function toAbout(bytes: Uint8Array): HeadAbout {
  const [session, roster, state] = [0, 32, 64].map((start) => toHex(bytes.subarray(start, start + 32)));
  return { session: session ?? "", roster: roster ?? "", state: state ?? "" };
}

/** The three hashes as they are kept. */
export function aboutBytes(about: HeadAbout | undefined): Uint8Array {
  return about ? Buffer.from(about.session + about.roster + about.state, "hex") : Buffer.alloc(0);
}

/** What an overview says of a seal. */
export function toSeal({ size, root, at }: Pick<HeadRow, "size" | "root" | "at">) {
  return { size, root: toHex(root), at: at.toISOString() };
}
