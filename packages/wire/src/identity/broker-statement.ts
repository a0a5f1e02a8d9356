import { signedBytes } from "./signed-bytes.js";

/** The statement that a broker's audit key signs to show a client that it is the broker that it was, at the address that was dialled (HELLO-6). */
export interface BrokerStatement {
  readonly broker_id: string;
  /** 32 random bytes of the client's, in base64url. */
  readonly challenge: string;
  /** The scheme, host and port that the client dialled: who passes the question on to the real broker names another. */
  readonly origin: string;
}

export function brokerBytes({ broker_id, challenge, origin }: BrokerStatement): Uint8Array {
  return signedBytes("broker", { broker_id, challenge, origin });
}
