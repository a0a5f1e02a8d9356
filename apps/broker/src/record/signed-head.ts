import type { HeadRow } from "@merkle/db";
import { type SignedHead, toHex } from "@merkle/wire/record";

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
    at: row.at.toISOString(),
    key_id: row.keyId,
    signature: Buffer.from(row.signature).toString("base64url"),
  };
}

/** What an overview says of a seal. */
export function toSeal({ size, root, at }: Pick<HeadRow, "size" | "root" | "at">) {
  return { size, root: toHex(root), at: at.toISOString() };
}
