import { randomBytes } from "node:crypto";
import { MerkleError } from "@merkle/wire";
import { brokerBytes } from "@merkle/wire/identity";
import { type AuditKey, canonicalJson, checkKeys, holds, parseKeys, trustIn } from "@merkle/wire/record";
import { nodeCrypto } from "../core/node-crypto.js";
import { findKnownMesh, keepKnownMesh } from "../home/known-meshes.js";
import { listMembers } from "../home/members.js";
import { findPerson } from "../home/persons.js";
import { listStoredPeers } from "../home/stored-peers.js";
import { requestHttp } from "./http-request.js";
import { type OperationCaller, placeOf, type ReachableAddress, reachBroker, toPlace } from "./reach.js";

/** A broker's claim of who it is. Anybody can make it. */
interface ClaimedMesh {
  readonly mesh_id: string;
  readonly broker_id: string;
}

/** An address, and the home whose credentials are meant for it. */
export interface TrustedAddress extends ReachableAddress {
  readonly home: string;
}

/**
 * Returns the id of the mesh that a broker claims to serve, if the credentials that this home keeps for that mesh may go to
 * the address (CLI-81).
 *
 * @throws MerkleError `unauthorized` if the mesh is known from another address
 */
export async function meetMesh(caller: OperationCaller, address: TrustedAddress): Promise<string> {
  const { mesh_id, broker_id } = await caller.call("get_app_info", {});
  await requireKnown({ mesh_id, broker_id }, address);
  return mesh_id;
}

/**
 * Decides whether the credentials that this home keeps for a mesh may go to an address, and records where it met a mesh
 * first. Nothing else decides this: credentials are looked up by the mesh's id, which a broker only claims to have.
 *
 * @throws MerkleError `unauthorized`, with what a person can do
 */
export async function requireKnown(claimed: ClaimedMesh, address: TrustedAddress): Promise<void> {
  const { mesh_id, broker_id } = claimed;
  if (!isUuid(mesh_id) || !isUuid(broker_id)) throw new TypeError(`${address.base} is not a Merkle broker.`);
  const { home, base } = address;
  const place = await placeOf(base, home);
  const known = findKnownMesh(home, mesh_id);
  if (known?.broker_id === broker_id && known.addresses.includes(place)) return;
  // The broker of this home is named by a file that only its owner can write.
  const isOwn = place === "home";
  if (!isOwn && (known || !(await isFirstSeen(claimed, address)))) throw elsewhere(base);
  // A broker that cannot prove its key now can move later only if a person confirms it.
  const proven = await askProof(address).then(
    (answering) => (answering.broker_id === broker_id ? answering.keys : []),
    () => [],
  );
  const before = known?.broker_id === broker_id ? known : undefined;
  const keys = proven.length > 0 ? proven : (before?.keys ?? []);
  try {
    keepKnownMesh(home, { mesh_id, broker_id, keys, addresses: [...(before?.addresses ?? []), place] });
  } catch {
    // If the home is read-only, the next command decides in the same way.
  }
}

/**
 * Whether this home knows no other address of a mesh: it keeps nothing for that mesh, or what it keeps is older than the
 * list of addresses and the address is a membership's or on this machine.
 */
export async function isFirstSeen(
  { mesh_id }: ClaimedMesh,
  { home, base }: TrustedAddress,
): Promise<boolean> {
  const members = (await listMembers(home)).filter((each) => each.mesh_id === mesh_id);
  const place = toPlace(base);
  if (members.some((each) => each.urls.some((url) => toPlace(url) === place))) return true;
  const hasCredentials =
    members.length > 0 ||
    (await findPerson({ home }, mesh_id)) !== null ||
    (await listStoredPeers(home, mesh_id)).length > 0;
  if (!hasCredentials) return true;
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

/** The broker that answers at an address, as it describes itself, and the keys that it proved to have. */
interface AnsweringBroker {
  readonly broker_id: string;
  readonly mesh_id: string;
  /** The keys that it proved to have, its signing key among them; empty if it proved nothing. */
  readonly keys: readonly AuditKey[];
}

const proofTimeoutMs = 5_000;

/**
 * Asks the server at an address who it is, and has it prove that it has its audit key and is at this very address (HELLO-6).
 *
 * @throws what `requestHttp` throws; TypeError if the server is no Merkle broker
 */
export async function askProof({ base, reach }: ReachableAddress): Promise<AnsweringBroker> {
  const challenge = randomBytes(32).toString("base64url");
  const { origin } = new URL(base);
  const tls = (await reachBroker(base, reach))?.();
  const ask = async (query = "") =>
    requestHttp(`${base}/api/sign-in${query}`, { tls, signal: AbortSignal.timeout(proofTimeoutMs) });
  const proving = await ask(`?${new URLSearchParams({ challenge, origin })}`);
  // A broker that does not know this address as its own still describes itself.
  const answer = proving.ok ? proving : await ask();
  const { broker_id, mesh_id, proof }: Partial<AnsweringBroker> & { proof?: unknown } = Object(answer.json());
  if (typeof broker_id !== "string" || typeof mesh_id !== "string") {
    throw new TypeError(`The server at ${base} is not a Merkle broker.`);
  }
  return { broker_id, mesh_id, keys: await readProvenKeys(proof, { broker_id, challenge, origin }) };
}

/** Returns the keys of a proof if the last of them, which signs, has signed the statement; otherwise none. */
async function readProvenKeys(
  proof: unknown,
  statement: Parameters<typeof brokerBytes>[0],
): Promise<readonly AuditKey[]> {
  const { signature, keys: claimed }: { signature?: unknown; keys?: unknown } = Object(proof);
  if (typeof signature !== "string" || !Array.isArray(claimed)) return [];
  try {
    const keys = parseKeys(canonicalJson(claimed));
    const { public_key: publicKey = "" } = keys.at(-1) ?? {};
    const isChainValid = (await checkKeys(keys, nodeCrypto)).length === 0;
    const hasSigned = await holds(
      { publicKey, bytes: brokerBytes(statement), signature },
      nodeCrypto.verifySignature,
    );
    return isChainValid && hasSigned ? keys : [];
  } catch {
    // Keys that cannot be parsed prove nothing.
    return [];
  }
}

/** Whether proven keys continue from a known key: the newest is the known key, or a key that it vouches for. */
export async function isSuccessorOf(known: readonly AuditKey[], keys: readonly AuditKey[]): Promise<boolean> {
  const newest = keys.at(-1);
  if (!newest || known.length === 0) return false;
  const { verifySignature } = nodeCrypto;
  return (await trustIn(newest.key_id, keys, { known, verifySignature })) !== "other than the known one";
}
