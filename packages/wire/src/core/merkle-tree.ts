/**
 * The tree of a finalized audit session. Its leaves are the sorted hashes of the records. Two nodes are
 * hashed together, the smaller one first. A node without a sibling moves up unchanged. The root therefore
 * depends only on the set of hashes, not on the order in which they were recorded (AUDIT-8).
 */

/** The platform's implementation of SHA-256. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/**
 * Returns the root of the tree over the given hashes. The root of a single hash is that hash.
 *
 * @param leaves - at least one hash, in hexadecimal
 */
export function computeMerkleRoot(leaves: readonly string[], sha256: Sha256): string {
  const levels = buildLevels(leaves, sha256);
  return toHex(getRoot(levels));
}

/**
 * Proof that a leaf belongs to a root. Contains the sibling's hash at each level, from the leaf upwards
 * (AUDIT-9).
 */
export interface MerkleProof {
  readonly root: string;
  readonly proof: readonly string[];
}

/**
 * Creates the proof for a leaf. If several leaves are equal, proves the last one.
 *
 * @throws RangeError if the hash is not a leaf
 */
export function computeMerkleProof(leaves: readonly string[], leaf: string, sha256: Sha256): MerkleProof {
  const levels = buildLevels(leaves, sha256);
  const leafHash = fromHex(leaf);
  const index = levels[0]?.findLastIndex((each) => compareBytes(each, leafHash) === 0) ?? -1;
  if (index < 0) throw new RangeError("The requested leaf is not in the tree.");
  const siblings = levels.flatMap((level, height) => level[(index >> height) ^ 1] ?? []);
  return { root: toHex(getRoot(levels)), proof: siblings.map(toHex) };
}

/**
 * Resolves to true if the proof connects the leaf to the root. Needs neither the other records nor the
 * broker.
 *
 * @param sha256 - may be asynchronous, as in browsers
 */
export async function verifyMerkleProof(
  leaf: string,
  { root, proof }: MerkleProof,
  sha256: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>,
): Promise<boolean> {
  if (![leaf, root, ...proof].every(isHash)) return false;
  let node = fromHex(leaf);
  for (const sibling of proof) node = await sha256(joinSorted(node, fromHex(sibling)));
  return toHex(node) === root;
}

/** Returns all levels of the tree, from the sorted leaves up to the root. */
function buildLevels(leaves: readonly string[], sha256: Sha256): Uint8Array[][] {
  let level = leaves.map(fromHex).sort(compareBytes);
  const levels = [level];
  while (level.length > 1) {
    level = hashPairs(level, sha256);
    levels.push(level);
  }
  return levels;
}

function hashPairs(level: readonly Uint8Array[], sha256: Sha256): Uint8Array[] {
  return level.flatMap((node, place) => {
    if (place % 2 === 1) return [];
    const partner = level[place + 1];
    return [partner ? sha256(joinSorted(node, partner)) : node];
  });
}

function getRoot(levels: readonly Uint8Array[][]): Uint8Array {
  const root = levels.at(-1)?.[0];
  if (!root) throw new RangeError("A tree without leaves has no root.");
  return root;
}

function joinSorted(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const [first, second] = compareBytes(a, b) <= 0 ? [a, b] : [b, a];
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const place = a.findIndex((byte, index) => byte !== b[index]);
  return place < 0 ? a.length - b.length : (a[place] ?? 0) - (b[place] ?? 0);
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
