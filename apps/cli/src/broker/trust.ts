import { randomBytes } from "node:crypto";
import { MerkleError } from "@merkle/wire";
import { encodeBrokerStatement } from "@merkle/wire/identity";
import {
  type AuditKey,
  checkKeys,
  determineTrust,
  isValidSignature,
  parseKeys,
  toCanonicalJson,
} from "@merkle/wire/record";
import { nodeCrypto } from "../core/node-crypto.js";
import { findKnownMesh, saveKnownMesh } from "../home/known-meshes.js";
import { listMembers } from "../home/members.js";
import { findPerson } from "../home/persons.js";
import { listStoredPeers } from "../home/stored-peers.js";
import { requestHttp } from "./http-request.js";
import {
  getAddressKey,
  type OperationCaller,
  prepareTls,
  type ReachableAddress,
  toAddressKey,
} from "./reach.js";

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

/** The broker at an address: its description of itself, and the keys that it has proved to own. */
interface AnsweringBroker {
  readonly broker_id: string;
  readonly mesh_id: string;
  /** The keys that the broker proved to own, including its signing key. Empty if the broker gave no proof. */
  readonly keys: readonly AuditKey[];
}

const proofTimeoutMs = 5_000;

/**
 * Asks the server at an address for its identity and for a proof that it owns its audit key and is at exactly
 * this address (HELLO-6).
 *
 * @throws like `requestHttp`; TypeError if the server is not a Merkle broker
 */
export async function requestProof({ base, reach }: ReachableAddress): Promise<AnsweringBroker> {
  const challenge = randomBytes(32).toString("base64url");
  const { origin } = new URL(base);
  const tls = (await prepareTls(base, reach))?.();
  const ask = async (query = "") =>
    requestHttp(`${base}/api/sign-in${query}`, { tls, signal: AbortSignal.timeout(proofTimeoutMs) });
  const withChallenge = await ask(`?${new URLSearchParams({ challenge, origin })}`);
  // A broker that does not recognise this address as its own still describes itself.
  const answer = withChallenge.ok ? withChallenge : await ask();
  const { broker_id, mesh_id, proof }: Partial<AnsweringBroker> & { proof?: unknown } = Object(answer.json());
  if (typeof broker_id !== "string" || typeof mesh_id !== "string") {
    throw new TypeError(`The server at ${base} is not a Merkle broker.`);
  }
  return { broker_id, mesh_id, keys: await readProvenKeys(proof, { broker_id, challenge, origin }) };
}

/**
 * Returns the keys in a proof if the last of these keys signed the statement. Otherwise returns an empty
 * list.
 */
async function readProvenKeys(
  proof: unknown,
  statement: Parameters<typeof encodeBrokerStatement>[0],
): Promise<readonly AuditKey[]> {
  const { signature, keys: claimed }: { signature?: unknown; keys?: unknown } = Object(proof);
  if (typeof signature !== "string" || !Array.isArray(claimed)) return [];
  try {
    const keys = parseKeys(toCanonicalJson(claimed));
    const { public_key: publicKey = "" } = keys.at(-1) ?? {};
    const isChainValid = (await checkKeys(keys, nodeCrypto)).length === 0;
    const hasSigned = await isValidSignature(
      { publicKey, bytes: encodeBrokerStatement(statement), signature },
      nodeCrypto.verifySignature,
    );
    return isChainValid && hasSigned ? keys : [];
  } catch {
    // A proof with keys that cannot be parsed counts as no proof.
    return [];
  }
}

/**
 * Returns whether the proven keys succeed the known keys: the newest proven key is known, or a known key
 * vouches for it.
 */
export async function isSuccessorOf(known: readonly AuditKey[], keys: readonly AuditKey[]): Promise<boolean> {
  const newest = keys.at(-1);
  if (!newest || known.length === 0) return false;
  const { verifySignature } = nodeCrypto;
  return (
    (await determineTrust(newest.key_id, keys, { known, verifySignature })) !== "other than the known one"
  );
}
