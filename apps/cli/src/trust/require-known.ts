import { MerkleError } from "@merkle/wire";
import type { OperationCaller, ReachableAddress } from "../broker/reach.js";
import { placeOf, toPlace } from "../broker/reach.js";
import { listMembers } from "../identity/members.js";
import { findPerson } from "../identity/persons.js";
import { listStoredPeers } from "../sessions/stored-peers.js";
import { askProof } from "./ask-proof.js";
import { findKnownMesh, keepKnownMesh } from "./known-meshes.js";

/** A broker's claim of who it is. Anybody can make it. */
interface ClaimedMesh {
  readonly mesh_id: string;
  readonly broker_id: string;
}

/** An address, and the home whose credentials are meant for it. */
export interface AskedAddress extends ReachableAddress {
  readonly home: string;
}

/**
 * The mesh that a broker says it is in, where what this home holds of that mesh may go to it: whatever is found by this id
 * was got at this address (CLI-81).
 *
 * @throws MerkleError `unauthorized` where the mesh is known from elsewhere
 */
export async function meetMesh(caller: OperationCaller, address: AskedAddress): Promise<string> {
  const { mesh_id, broker_id } = await caller.call("get_app_info", {});
  await requireKnown({ mesh_id, broker_id }, address);
  return mesh_id;
}

/**
 * Decides whether what this home holds of a mesh may go to an address, and remembers where a mesh was met first. It is the
 * one place that does: credentials are found by the mesh's id, and no id that a broker only claims comes past it.
 *
 * @throws MerkleError `unauthorized`, with what a person can do
 */
export async function requireKnown(claimed: ClaimedMesh, address: AskedAddress): Promise<void> {
  const { mesh_id, broker_id } = claimed;
  if (!isUuid(mesh_id) || !isUuid(broker_id)) throw new TypeError(`${address.base} is not a Merkle broker.`);
  const { home, base } = address;
  const place = await placeOf(base, home);
  const known = findKnownMesh(home, mesh_id);
  if (known?.broker_id === broker_id && known.addresses.includes(place)) return;
  // The broker that runs on this home has told so itself, in a file that its owner alone can write.
  const isOwn = place === "home";
  if (!isOwn && (known || !(await isFirstSeen(claimed, address)))) throw elsewhere(base);
  // A broker that cannot prove itself now cannot move later without a person's word.
  const proven = await askProof(address).then(
    (answering) => (answering.broker_id === broker_id ? answering.keys : []),
    () => [],
  );
  const before = known?.broker_id === broker_id ? known : undefined;
  const keys = proven.length > 0 ? proven : (before?.keys ?? []);
  try {
    keepKnownMesh(home, { mesh_id, broker_id, keys, addresses: [...(before?.addresses ?? []), place] });
  } catch {
    // A home that cannot be written remembers nothing: the next command decides in the same way.
  }
}

/**
 * Whether nothing says that the mesh is at home elsewhere: nothing is held of it; or what is held was got before addresses
 * were kept, and the address is that of a membership, or on this machine.
 */
export async function isFirstSeen({ mesh_id }: ClaimedMesh, { home, base }: AskedAddress): Promise<boolean> {
  const members = (await listMembers(home)).filter((each) => each.mesh_id === mesh_id);
  const place = toPlace(base);
  if (members.some((each) => each.urls.some((url) => toPlace(url) === place))) return true;
  const isHeld =
    members.length > 0 ||
    (await findPerson({ home }, mesh_id)) !== null ||
    (await listStoredPeers(home, mesh_id)).length > 0;
  if (!isHeld) return true;
  return members.length === 0 && new URL(place).hostname === "localhost";
}

function isUuid(text: unknown): boolean {
  return typeof text === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function elsewhere(base: string): MerkleError {
  return new MerkleError(
    "unauthorized",
    `${base} claims to be a broker that this machine knows at a different address. Its credentials were not sent. If it has moved, run in your own terminal: merkle trust --url ${base}`,
  );
}
