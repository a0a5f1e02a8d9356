import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { ShapeError } from "../core/shape.js";
import { isSignedByLog, type SignedCheckpoint } from "./checkpoint.js";
import { findCosignedAt } from "./cosignature.js";
import {
  formatVerifierKey,
  type NoteCrypto,
  type NoteKey,
  noteKeyTypes,
  parseVerifierKey,
} from "./signed-note.js";

/** The witnesses that a reader relies on, and how many of them must cosign (C2SP tlog-policy). */
export interface WitnessPolicy {
  readonly logs: readonly NoteKey[];
  /** The witnesses' keys, by the witnesses' names in the policy. */
  readonly witnesses: ReadonlyMap<string, NoteKey>;
  readonly groups: ReadonlyMap<string, WitnessGroup>;
  /** Name of the witness or group that must cosign. Null if no cosignature is required. */
  readonly quorum: string | null;
}

/** A group has cosigned if at least `least` of its members have. A member is a witness or another group. */
export interface WitnessGroup {
  readonly least: number;
  readonly members: readonly string[];
}

/**
 * Parses a policy (WITNESS-4). Names must be defined before they are used.
 *
 * @throws ShapeError with the line that has another form, or with the rule that the policy breaks
 */
export function parsePolicy(text: string, sha256: Sha256): WitnessPolicy {
  const logs: NoteKey[] = [];
  const witnesses = new Map<string, NoteKey>();
  const groups = new Map<string, WitnessGroup>();
  const grouped = new Set<string>();
  let quorum: string | undefined;
  const isDefined = (name: string) => witnesses.has(name) || groups.has(name);

  for (const line of text.split("\n")) {
    const [word = "", ...rest] = line.replace(/^[ \t]+|[ \t]+$/g, "").split(/[ \t]+/);
    if (word === "" || word.startsWith("#")) continue;
    const [name = "", second = "", ...members] = rest;
    const isNew = name !== "none" && !isDefined(name);
    if (word === "log" && (rest.length === 1 || rest.length === 2)) {
      logs.push(parseVerifierKey(name, noteKeyTypes.log, sha256));
    } else if (word === "witness" && (rest.length === 2 || rest.length === 3) && isNew) {
      witnesses.set(name, parseVerifierKey(second, noteKeyTypes.witness, sha256));
    } else if (word === "group" && members.length > 0 && isNew) {
      for (const member of members) {
        if (!isDefined(member) || grouped.has(member)) {
          throw new ShapeError(
            `The member ${JSON.stringify(member)} is not defined, or is already in a group.`,
          );
        }
        grouped.add(member);
      }
      groups.set(name, { least: parseLeast(second, members.length), members });
    } else if (word === "quorum" && rest.length === 1 && quorum === undefined) {
      if (name !== "none" && !isDefined(name)) {
        throw new ShapeError(`The quorum ${JSON.stringify(name)} is not a witness or group of the policy.`);
      }
      quorum = name;
    } else {
      throw new ShapeError(
        `Expected a log, witness, group or quorum, got ${JSON.stringify(line.slice(0, 80))}.`,
      );
    }
  }

  if (quorum === undefined || logs.length === 0) throw new ShapeError("The policy has no log or no quorum.");
  requireDistinct(logs, witnesses);
  return { logs, witnesses, groups, quorum: quorum === "none" ? null : quorum };
}

/** @throws ShapeError if the number of members that must cosign is not between 1 and all */
function parseLeast(text: string, members: number): number {
  const least = text === "any" ? 1 : text === "all" ? members : Number(/^[1-9]\d{0,3}$/.exec(text)?.[0]);
  if (least >= 1 && least <= members) return least;
  throw new ShapeError(`Expected a number of members from 1 to ${members}, "any" or "all", got "${text}".`);
}

/**
 * A key counts once, whatever its names. Otherwise one witness with two names would count as two, and the log
 * could be its own witness.
 *
 * @throws ShapeError if a key is listed twice
 */
function requireDistinct(logs: readonly NoteKey[], witnesses: WitnessPolicy["witnesses"]): void {
  const keys = [...logs, ...witnesses.values()].map(({ publicKey }) => toHex(publicKey));
  if (new Set(keys).size < keys.length) {
    throw new ShapeError("The policy lists a key twice. Each log and witness needs a key of its own.");
  }
  if (new Set(logs.map(({ name }) => name)).size < logs.length) {
    throw new ShapeError("The policy lists two keys for one log.");
  }
}

/** A policy of one log: `least` of the witnesses must cosign. */
export interface MeshPolicy {
  readonly log: NoteKey;
  readonly witnesses: readonly NoteKey[];
  readonly least: number;
}

/** Formats a mesh's policy. `parsePolicy` refuses the text if the policy breaks a rule. */
export function formatPolicy({ log, witnesses, least }: MeshPolicy, sha256: Sha256): string {
  const group = "witnesses";
  const lines = [
    `log ${formatVerifierKey(log, sha256)}`,
    ...witnesses.map((key) => `witness ${key.name} ${formatVerifierKey(key, sha256)}`),
    ...(witnesses.length === 0
      ? ["quorum none"]
      : [`group ${group} ${least} ${witnesses.map(({ name }) => name).join(" ")}`, `quorum ${group}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/**
 * Returns how many lying witnesses a policy withstands. Two histories can both be cosigned if 2 · least − total
 * witnesses sign both of them. If the result is negative, two histories pass even if no witness lies.
 */
export function countLiesWithstood({
  least,
  total,
}: {
  readonly least: number;
  readonly total: number;
}): number {
  return 2 * least - total - 1;
}

/** Number of seconds by which the time of a cosignature may be ahead of the reader's clock. */
export const cosignatureAheadMax = 300;

/** The witnesses of a policy that cosigned a checkpoint, by their names in the policy. */
export interface WitnessedBy {
  /** The witnesses that count, with the time of each in seconds. */
  readonly cosigned: ReadonlyMap<string, number>;
  /** Witnesses that do not count, because their time is in the future. */
  readonly ahead: readonly string[];
  /** Witnesses that do not count, because their time is earlier than at a smaller size. */
  readonly behind: readonly string[];
  /** True if as many witnesses cosigned as the policy requires. */
  readonly isEnough: boolean;
}

export interface CosignedCheck extends NoteCrypto {
  /** Time in seconds. */
  readonly now: number;
  /**
   * When each witness cosigned the largest smaller checkpoint that the reader knows, in seconds (default: no
   * earlier checkpoint is known).
   */
  readonly earlier?: ReadonlyMap<string, number>;
}

/**
 * Checks which witnesses of a policy cosigned a checkpoint, and whether they are enough (WITNESS-3,
 * WITNESS-5).
 *
 * @throws ShapeError if the policy's log did not sign the checkpoint, or if a signature of a listed key is
 * invalid
 */
export async function checkCosigned(
  checkpoint: SignedCheckpoint,
  policy: WitnessPolicy,
  check: CosignedCheck,
): Promise<WitnessedBy> {
  const log = policy.logs.find(({ name }) => name === checkpoint.origin);
  if (!log || !(await isSignedByLog(checkpoint, log, check))) {
    throw new ShapeError(`The checkpoint of ${checkpoint.origin} is not signed by a log of the policy.`);
  }
  const cosigned = new Map<string, number>();
  const ahead: string[] = [];
  const behind: string[] = [];
  for (const [name, key] of policy.witnesses) {
    const at = await findCosignedAt(checkpoint, key, check);
    if (at === null) continue;
    if (at > check.now + cosignatureAheadMax) ahead.push(name);
    else if (at < (check.earlier?.get(name) ?? 0)) behind.push(name);
    else cosigned.set(name, at);
  }
  const hasCosigned = (name: string): boolean => {
    const group = policy.groups.get(name);
    return group ? group.members.filter(hasCosigned).length >= group.least : cosigned.has(name);
  };
  return { cosigned, ahead, behind, isEnough: policy.quorum === null || hasCosigned(policy.quorum) };
}
