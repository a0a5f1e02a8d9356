import { signedBytes } from "./signed-bytes.js";

/**
 * The statement that a broker's audit key signs. It proves to a client that this is the known broker, at the
 * address that the client dialled (HELLO-6).
 */
export interface BrokerStatement {
  readonly broker_id: string;
  /** 32 random bytes chosen by the client, in base64url. */
  readonly challenge: string;
  /**
   * The scheme, host and port that the client dialled. An attacker who relays the challenge to the real
   * broker would have another origin.
   */
  readonly origin: string;
}

export function brokerBytes({ broker_id, challenge, origin }: BrokerStatement): Uint8Array {
  return signedBytes("broker", { broker_id, challenge, origin });
}
