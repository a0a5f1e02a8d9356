import { canonicalJson } from "../core/canonical-json.js";
import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { parseTeamCredential } from "./credential.js";

/** A permission that an agent's client asks its person for, as the client's hook was given it. */
export interface ApprovalSubject {
  readonly tool: string;
  /** The tool's input, as JSON. */
  readonly input: string;
  readonly folder: string;
  /** 32 random bytes in hexadecimal, of this ask alone. */
  readonly salt: string;
}

/**
 * The hash that binds an answer to what was shown, and stands for it in the feed (APPROVE-4). Without the salt nobody can try
 * which command it is of.
 */
export function approvalHash({ salt, tool, input, folder }: ApprovalSubject, sha256: Sha256): string {
  return toHex(
    sha256(new TextEncoder().encode(canonicalJson(["merkle approval", salt, tool, input, folder]))),
  );
}

/**
 * Names one credential of a person, which is on one device, without giving it away: half of the hash that the broker keeps.
 * Undefined for what is no credential.
 */
export function deviceOf(credential: string, sha256: Sha256): string | undefined {
  const parsed = parseTeamCredential(credential);
  return parsed ? toHex(sha256(new TextEncoder().encode(parsed.secret))).slice(0, 32) : undefined;
}
