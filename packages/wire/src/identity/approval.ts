import { canonicalJson } from "../core/canonical-json.js";
import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { parseTeamCredential } from "./credential.js";

/** A permission that an agent's client asks its person for, as passed to the client's hook. */
export interface ApprovalSubject {
  readonly tool: string;
  /** The tool's input as JSON. */
  readonly input: string;
  readonly folder: string;
  /** 32 random bytes in hexadecimal, unique to this request. */
  readonly salt: string;
}

/**
 * Returns the hash that binds an answer to what was shown, and that represents it in the feed (APPROVE-4).
 * Without the salt, no one can guess the command by trying candidates.
 */
export function approvalHash({ salt, tool, input, folder }: ApprovalSubject, sha256: Sha256): string {
  return toHex(
    sha256(new TextEncoder().encode(canonicalJson(["merkle approval", salt, tool, input, folder]))),
  );
}

/**
 * Returns an identifier for a person's credential on one device, without revealing it: half of the hash that
 * the broker stores. Undefined if the text is not a credential.
 */
export function deviceOf(credential: string, sha256: Sha256): string | undefined {
  const parsed = parseTeamCredential(credential);
  return parsed ? toHex(sha256(new TextEncoder().encode(parsed.secret))).slice(0, 32) : undefined;
}
