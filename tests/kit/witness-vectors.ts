import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fromBase64url } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import {
  encodeCosignature,
  formatSignatureLine,
  joinCosignature,
  type NoteKey,
  noteKeyTypes,
  parseVerifierKey,
  verifySignatureHere,
} from "@merkle/wire/record";

/** Notes, proofs and a policy of a log with five entries, made by other programs. */
export interface WitnessVectors {
  readonly keys: Readonly<Record<"log" | "ada" | "ben", { seed_byte: number; vkey: string }>>;
  readonly entries: readonly string[];
  readonly leaves: readonly string[];
  readonly root_3: string;
  readonly root_5: string;
  readonly checkpoint_3: string;
  readonly checkpoint_5_text: string;
  readonly checkpoint_5_cosigned: string;
  readonly cosigned_bytes_ada: string;
  readonly cosignature_ada: string;
  readonly cosignature_ben: string;
  readonly add_checkpoint_request: string;
  readonly tlog_proof_entry_1: string;
  readonly policy: string;
  readonly fork: { readonly request: string; readonly root_5_that_the_proof_has: string };
}

// The file's fields are checked by the tests that use them.
export const witnessVectors = JSON.parse(
  readFileSync(new URL("witness-vectors.json", import.meta.url), "utf8"),
) as WitnessVectors;

export const noteCrypto = {
  sha256: (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest(),
  verifySignature: verifySignatureHere,
};

/** A key of the vectors, which signs. */
export interface NoteSigner {
  readonly key: NoteKey;
  readonly vkey: string;
  sign(bytes: Uint8Array): Uint8Array;
}

const { log, ada, ben } = witnessVectors.keys;

/** The keys of the vectors: the log's, and those of two witnesses. */
export const noteSigners = {
  log: createSigner(log.vkey, log.seed_byte, noteKeyTypes.log),
  ada: createSigner(ada.vkey, ada.seed_byte, noteKeyTypes.witness),
  ben: createSigner(ben.vkey, ben.seed_byte, noteKeyTypes.witness),
};

function createSigner(vkey: string, seedByte: number, type: NoteKey["type"]): NoteSigner {
  const signer = deriveSigningKey(new Uint8Array(32).fill(seedByte));
  return {
    vkey,
    key: parseVerifierKey(vkey, type, noteCrypto.sha256),
    sign: (bytes) => {
      const signature = fromBase64url(signer.sign(bytes), 64);
      if (!signature) throw new TypeError("A signature has 64 bytes.");
      return signature;
    },
  };
}

/** Returns the line of a log's signature over a checkpoint. */
export function signLine({ key, sign }: NoteSigner, text: string): string {
  return formatSignatureLine(key, sign(new TextEncoder().encode(text)), noteCrypto.sha256);
}

/** Returns the line of a cosignature over a checkpoint, at a time in seconds. */
export function cosignLine(
  { key, sign }: Pick<NoteSigner, "key" | "sign">,
  text: string,
  at: number,
): string {
  const signature = joinCosignature(at, sign(encodeCosignature(text, at)));
  return formatSignatureLine(key, signature, noteCrypto.sha256);
}
