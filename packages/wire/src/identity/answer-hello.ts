import { MerkleError } from "../core/errors.js";
import type { HelloStatement, SignatureProof } from "./hello-proof.js";
import { certifySessionKey } from "./session-certificate.js";
import { encodeForSigning } from "./signed-bytes.js";
import type { SigningKey } from "./signing-key.js";

/** The fields of a broker's hello that are needed to answer it. */
export interface GreetingBroker {
  readonly auth: "open" | "invite";
  readonly broker_id: string;
  readonly nonce: string;
}

/** The membership with which to answer a hello: the broker that was joined, and the keys that sign. */
export interface HelloSigner {
  /** Id of the broker that the member joined. */
  readonly brokerId: string;
  readonly meshId: string;
  readonly memberKey: SigningKey;
  /** A key that this process created and the member's key has certified. */
  readonly sessionKey: SigningKey;
  /** Human-readable description of this process. */
  readonly label: string;
  /** Id or slug of the session that the connection is for. Null if there is none. */
  readonly session: string | null;
  /** The address at which the client connected to the broker. */
  readonly url: string;
}

/**
 * Answers a broker's hello as a member (HELLO-4). A broker in open mode gets no proof, because it needs none.
 * A broker other than the one that the member joined never gets a proof.
 *
 * @throws unauthorized if the broker is not the one that the member joined
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
    origin: toDialledOrigin(signer.url),
    nonce: hello.nonce,
    time: now.toISOString(),
  };
  return {
    kind: "signature",
    statement,
    signature: sessionKey.sign(encodeHello(statement)),
    ...certifySessionKey({ meshId, memberKey, sessionKey: sessionKey.publicKey, label, now }),
  };
}

/**
 * Returns the scheme, host and port of a broker's address. For a WebSocket address, the scheme is http or
 * https, as in the handshake.
 */
export function toDialledOrigin(address: string): string {
  return new URL(address.replace(/^ws/, "http")).origin;
}

export function encodeHello(statement: HelloStatement): Uint8Array {
  return encodeForSigning("hello", statement);
}

function otherBroker(hello: GreetingBroker, { brokerId, url }: HelloSigner): MerkleError {
  return new MerkleError(
    "unauthorized",
    `The broker at ${new URL(url).origin} is not the broker that you joined: it claims to be ${hello.broker_id}, not ${brokerId}. Nothing was signed for it. If the broker was set up again, join with a new invite.`,
    { expected: brokerId, got: hello.broker_id },
  );
}
