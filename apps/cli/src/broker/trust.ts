import { MerkleError } from "@merkle/wire";
import { findKnownMesh, saveKnownMesh } from "../home/known-meshes.js";
import { listMembers } from "../home/members.js";
import { findPerson } from "../home/persons.js";
import { listStoredPeers } from "../home/stored-peers.js";
import { getAddressKey, type OperationCaller, type ReachableAddress, toAddressKey } from "./reach.js";

/** The identity that a broker claims to have. Any server can make the same claim. */
interface ClaimedMesh {
  readonly mesh_id: string;
  readonly broker_id: string;
}

/** A broker's address, and the home whose credentials are used there. */
export interface TrustedAddress extends ReachableAddress {
  readonly home: string;
}

/**
 * Returns the id of the mesh that the broker claims to serve, if this home's credentials for that mesh may be
 * sent to the address (CLI-81).
 *
 * @throws MerkleError `unauthorized` if this home has stored a different address for the mesh
 */
export async function getTrustedMeshId(caller: OperationCaller, address: TrustedAddress): Promise<string> {
  const { mesh_id, broker_id } = await caller.call("get_app_info", {});
  await requireKnown({ mesh_id, broker_id }, address);
  return mesh_id;
}

/**
 * Checks whether this home's credentials for a mesh may be sent to an address, and stores the address of a
 * new mesh. This is the only check: credentials are found by the mesh's id, which a server can claim without
 * proof.
 *
 * @throws MerkleError `unauthorized` with advice for the user
 */
export async function requireKnown(claimed: ClaimedMesh, address: TrustedAddress): Promise<void> {
  const { mesh_id, broker_id } = claimed;
  if (!isUuid(mesh_id) || !isUuid(broker_id)) throw new TypeError(`${address.base} is not a Merkle broker.`);
  const { home, base } = address;
  const addressKey = await getAddressKey(base, home);
  const known = findKnownMesh(home, mesh_id);
  if (known?.broker_id === broker_id && known.addresses.includes(addressKey)) return;
  // Only the home's owner can write the file that names this home's broker.
  const isOwn = addressKey === "home";
  if (!isOwn && (known || !(await isFirstSeen(claimed, address)))) throw knownElsewhere(base);
  const { requestProof } = await import("./broker-proof.js");
  // If the broker does not prove ownership of a key now, it cannot move to another address later without a
  // person's confirmation.
  const provenKeys = await requestProof(address).then(
    (broker) => (broker.broker_id === broker_id ? broker.keys : []),
    () => [],
  );
  const previous = known?.broker_id === broker_id ? known : undefined;
  const keys = provenKeys.length > 0 ? provenKeys : (previous?.keys ?? []);
  try {
    saveKnownMesh(home, {
      mesh_id,
      broker_id,
      keys,
      addresses: [...(previous?.addresses ?? []), addressKey],
    });
  } catch {
    // The home is read-only, so the next command repeats this check.
  }
}

/**
 * Returns whether an address can be trusted as the first address of a mesh. True if this home has no
 * credentials for the mesh.
 *
 * If the credentials were stored before addresses were, the address must belong to a membership or to this
 * machine.
 */
export async function isFirstSeen(
  { mesh_id }: ClaimedMesh,
  { home, base }: TrustedAddress,
): Promise<boolean> {
  const members = (await listMembers(home)).filter((each) => each.mesh_id === mesh_id);
  const addressKey = toAddressKey(base);
  if (members.some((each) => each.urls.some((url) => toAddressKey(url) === addressKey))) return true;
  const hasCredentials =
    members.length > 0 ||
    (await findPerson({ home }, mesh_id)) !== null ||
    (await listStoredPeers(home, mesh_id)).length > 0;
  if (!hasCredentials) return true;
  return members.length === 0 && new URL(addressKey).hostname === "localhost";
}

function isUuid(text: unknown): boolean {
  return typeof text === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function knownElsewhere(base: string): MerkleError {
  return new MerkleError(
    "unauthorized",
    `${base} claims to be a broker that this machine knows at a different address. Its credentials were not sent. If it has moved, run in your own terminal: merkle trust --url ${base}`,
  );
}
