import { findTakenPeerNames, listNamesLike, type Queryable, type Transaction } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { describeNewNameDeception } from "@merkle/wire/text";

/**
 * Refuses new names that would impersonate others. Existing teams and peers with such a name may still
 * resume.
 *
 * @throws bad_request (NAME-4)
 */
export function refuseImpersonation(names: {
  readonly team_name?: string;
  readonly peer_name?: string | undefined;
}): void {
  for (const [field, name] of Object.entries(names)) {
    const problem = name === undefined ? null : describeNewNameDeception(name);
    if (problem !== null) throw new MerkleError("bad_request", `The name must not ${problem}.`, { field });
  }
}

/** The team or peer that requests a name. */
interface PeerNameRequest {
  readonly sessionId: string;
  readonly teamId: string;
  readonly peerId: string;
}

/**
 * Refuses a peer name that is in use. The caller must hold a lock on the session row, so that only one of two
 * concurrent callers gets the name.
 *
 * @throws conflict, with a free name, if another present peer or another team has this name (PEER-4)
 */
export async function refuseTakenName(
  tx: Transaction,
  request: PeerNameRequest,
  name: string,
): Promise<void> {
  const free = await findFreeName(tx, request, name);
  if (free === name) return;
  throw new MerkleError(
    "conflict",
    `The name "${name}" is taken in this session, but "${free}" is free. If "${name}" is your own, join with its credential.`,
    { free_name: free },
  );
}

const namesPerQuery = 20;

/**
 * Returns a free peer name: the name itself, or the name with the first free number, as in `atlas`,
 * `atlas-2`, `atlas-3`.
 */
export async function findFreeName(
  tx: Transaction,
  request: PeerNameRequest,
  wanted: string,
): Promise<string> {
  for (let first = 1; ; first += namesPerQuery) {
    const names = Array.from({ length: namesPerQuery }, (_, index) => appendNumber(wanted, first + index));
    const taken = await findTakenPeerNames(tx, request, names);
    const free = names.find((name) => !taken.has(name));
    if (free !== undefined) return free;
  }
}

/**
 * Appends a number to a name, and shortens the name if it would exceed the limit. Never splits a surrogate
 * pair.
 */
function appendNumber(name: string, number: number): string {
  if (number === 1) return name;
  const suffix = `-${number}`;
  const room = limits.nameCharsMax - suffix.length;
  const shortened = name.slice(0, room).replace(/[\ud800-\udbff]$/, "");
  return `${shortened.trimEnd()}${suffix}`;
}

/** Finds a free team name in a session, such as `Birch` or `Birch (2)`, and reserves it (JOIN-4). */
export async function takeName(
  db: Queryable | Transaction,
  sessionId: string,
  wanted: string,
  take: (name: string) => Promise<boolean>,
): Promise<string> {
  const taken = await listNamesLike(db, sessionId, wanted);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted} (${number})`;
    if (!taken.has(name.toLowerCase()) && (await take(name))) return name;
  }
}
