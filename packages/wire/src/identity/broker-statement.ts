import { encodeForSigning } from "./signed-bytes.js";

/**
 * The statement that a broker signs with its audit key. It proves to a client that it has reached the broker
 * it knows, at the address that it dialled (HELLO-6).
 */
export interface BrokerStatement {
  readonly broker_id: string;
  /** 32 random bytes in base64url, chosen by the client. */
  readonly challenge: string;
  /**
   * The scheme, host and port that the client dialled. If an attacker relays the challenge to the real
   * broker, the origin differs.
   */
  readonly origin: string;
}

export function encodeBrokerStatement({ broker_id, challenge, origin }: BrokerStatement): Uint8Array {
  return encodeForSigning("broker", { broker_id, challenge, origin });
}
