import { toCanonicalJson } from "../core/canonical-json.js";
import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { parseTeamCredential } from "./credential.js";

/**
 * A permission request from an agent to the person who runs it, as the agent's client passes it to the hook.
 */
export interface ApprovalSubject {
  readonly tool: string;
  /** The input of the tool, as JSON. */
  readonly input: string;
  readonly folder: string;
  /** 32 random bytes in hexadecimal, different for each permission request. */
  readonly salt: string;
}

/**
 * Returns the hash that ties an answer to the permission request that was shown. The feed contains this hash
 * instead of the request (APPROVE-4). Without the salt, no one can find the command by trying candidates.
 */
export function hashApproval({ salt, tool, input, folder }: ApprovalSubject, sha256: Sha256): string {
  return toHex(
    sha256(new TextEncoder().encode(toCanonicalJson(["merkle approval", salt, tool, input, folder]))),
  );
}

/** A command of an agent's launch. */
export interface RepeatedCommand extends Pick<ApprovalSubject, "tool" | "folder"> {
  /** 32 random bytes in hexadecimal, different for each launch. */
  readonly launch: string;
  readonly command: string;
}

/** Returns the hash that ties a person's choice to exactly this command, in this folder, of this launch (APPROVE-17). */
export function hashRepeatedCommand(
  { launch, tool, command, folder }: RepeatedCommand,
  sha256: Sha256,
): string {
  return toHex(
    sha256(
      new TextEncoder().encode(toCanonicalJson(["merkle approval again", launch, tool, command, folder])),
    ),
  );
}

/**
 * Returns an identifier for a person's credential on one device: half of the hash that the broker stores. The
 * identifier does not reveal the credential. Returns undefined if the text is not a credential.
 */
export function toDeviceId(credential: string, sha256: Sha256): string | undefined {
  const parsed = parseTeamCredential(credential);
  return parsed ? toHex(sha256(new TextEncoder().encode(parsed.secret))).slice(0, 32) : undefined;
}
