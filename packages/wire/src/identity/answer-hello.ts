import { MerkleError } from "../core/errors.js";
import type { HelloStatement, SignatureProof } from "./hello-proof.js";
import { certifySessionKey } from "./session-certificate.js";
import { signedBytes } from "./signed-bytes.js";
import type { SigningKey } from "./signing-key.js";

/** The fields of a broker's hello that an answer needs. */
export interface GreetingBroker {
  readonly auth: "open" | "invite";
  readonly broker_id: string;
  readonly nonce: string;
}

/** The membership used for the answer: the broker that was joined, and the signing keys. */
export interface HelloSigner {
  /** Id of the broker at the time of joining. */
  readonly brokerId: string;
  readonly meshId: string;
  readonly memberKey: SigningKey;
  /** A key of this process, certified by the member's key. */
  readonly sessionKey: SigningKey;
  /** Description of the process for people. */
  readonly label: string;
  /** The session that the connection is for. */
  readonly session: string | null;
  /** The address used to connect to the broker. */
  readonly url: string;
}

/**
 * Answers a broker's hello as a member (HELLO-4). An open broker gets no proof, because it needs none. A
 * broker other than the one that was joined gets nothing, whatever it asks for.
 *
 * @throws unauthorized if it is a different broker
 */
export function answerHello(
  hello: GreetingBroker,
  signer: HelloSigner,
  now = new Date(),
): SignatureProof | undefined {
  if (hello.broker_id !== signer.brokerId) throw otherBroker(hello, signer);
  if (hello.auth === "open") return undefined;
  const { label, meshId, memberKey, sessionKey } = signer;
  const statement: HelloStatement = {
    label,
    broker_id: hello.broker_id,
    mesh_id: meshId,
    session: signer.session,
    origin: dialledOrigin(signer.url),
    nonce: hello.nonce,
    time: now.toISOString(),
  };
  return {
    kind: "signature",
    statement,
    signature: sessionKey.sign(helloBytes(statement)),
    ...certifySessionKey({ meshId, memberKey, sessionKey: sessionKey.publicKey, label, now }),
  };
}

/**
 * Returns the scheme, host and port of a broker's address. For a WebSocket, uses those of its HTTP handshake.
 */
export function dialledOrigin(address: string): string {
  return new URL(address.replace(/^ws/, "http")).origin;
}

export function helloBytes(statement: HelloStatement): Uint8Array {
  return signedBytes("hello", statement);
}

function otherBroker(hello: GreetingBroker, { brokerId, url }: HelloSigner): MerkleError {
  return new MerkleError(
    "unauthorized",
    `The broker at ${new URL(url).origin} is not the broker that you joined: it claims to be ${hello.broker_id}, not ${brokerId}. Nothing was signed for it. If the broker was set up again, join with a new invite.`,
    { expected: brokerId, got: hello.broker_id },
  );
}
