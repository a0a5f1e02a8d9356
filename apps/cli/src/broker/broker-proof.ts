import { randomBytes } from "node:crypto";
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
import { requestHttp } from "./http-request.js";
import { prepareTls, type ReachableAddress } from "./reach.js";

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
