import { randomBytes } from "node:crypto";
import { brokerBytes } from "@merkle/wire/identity";
import { type AuditKey, canonicalJson, checkKeys, holds, parseKeys, trustIn } from "@merkle/wire/record";
import { requestHttp } from "../broker/http-request.js";
import type { ReachableAddress } from "../broker/reach.js";
import { reachBroker } from "../broker/reach.js";
import { nodeCrypto } from "../core/node-crypto.js";

/** The broker that answers at an address, as it says itself, and the keys that it proved to have. */
interface AnsweringBroker {
  readonly broker_id: string;
  readonly mesh_id: string;
  /** The keys that it proved to have, the one that it signs with among them; none where it proved nothing. */
  readonly keys: readonly AuditKey[];
}

const withinMs = 5_000;

/**
 * Asks what answers at an address who it is, and has it prove that it holds its audit key and is at this very address
 * (HELLO-6).
 *
 * @throws what `requestHttp` throws; TypeError for what is no Merkle broker
 */
export async function askProof({ base, reach }: ReachableAddress): Promise<AnsweringBroker> {
  const challenge = randomBytes(32).toString("base64url");
  const { origin } = new URL(base);
  const tls = (await reachBroker(base, reach))?.();
  const url = `${base}/api/sign-in?${new URLSearchParams({ challenge, origin })}`;
  const answer = await requestHttp(url, { tls, signal: AbortSignal.timeout(withinMs) });
  // A broker that does not know itself by this address still says who it is.
  const told = answer.ok
    ? answer
    : await requestHttp(`${base}/api/sign-in`, { tls, signal: AbortSignal.timeout(withinMs) });
  const { broker_id, mesh_id, proof }: Partial<AnsweringBroker> & { proof?: unknown } = Object(told.json());
  if (typeof broker_id !== "string" || typeof mesh_id !== "string") {
    throw new TypeError(`The server at ${base} is not a Merkle broker.`);
  }
  return { broker_id, mesh_id, keys: await provenKeys(proof, { broker_id, challenge, origin }) };
}

/** The last key is the one that signs; what an answer says of keys is anybody's word until then. */
async function provenKeys(
  proof: unknown,
  statement: Parameters<typeof brokerBytes>[0],
): Promise<readonly AuditKey[]> {
  const { signature, keys: told }: { signature?: unknown; keys?: unknown } = Object(proof);
  if (typeof signature !== "string" || !Array.isArray(told)) return [];
  try {
    const keys = parseKeys(canonicalJson(told));
    const { public_key: publicKey = "" } = keys.at(-1) ?? {};
    const isWhole = (await checkKeys(keys, nodeCrypto)).length === 0;
    const isHeld = await holds(
      { publicKey, bytes: brokerBytes(statement), signature },
      nodeCrypto.verifySignature,
    );
    return isWhole && isHeld ? keys : [];
  } catch {
    // No keys of ours, which prove nothing.
    return [];
  }
}

/** Whether what was proved goes on from a key that is known: it is that one, or one that it vouches for. */
export async function isSuccessorOf(known: readonly AuditKey[], keys: readonly AuditKey[]): Promise<boolean> {
  const newest = keys.at(-1);
  if (!newest || known.length === 0) return false;
  const { verifySignature } = nodeCrypto;
  return (await trustIn(newest.key_id, keys, { known, verifySignature })) !== "other than the known one";
}
