import { errorCodes, MerkleError } from "../core/errors.js";
import type { Admitted, HelloProof } from "../identity/hello-proof.js";
import type { BrokerFrame, ClientFrame } from "../transports/frames.js";
import type { Reply } from "./requests.js";

export type Hello = Extract<BrokerFrame, { type: "hello" }>;

/** The reason why a connection ended, and whether to reconnect. */
export type ConnectionEnd =
  | { readonly comeBack: true; readonly reason: string; readonly refusal?: MerkleError }
  | { readonly comeBack: false; readonly error: MerkleError };

/** The client's proof, sent first on each new connection. */
export interface Introduction {
  /** The mesh to join, by name or id. */
  readonly mesh?: string | undefined;
  /**
   * Returns the proof with which to answer a hello, or undefined to send none. A MerkleError that a retry
   * cannot fix ends the client. Any other error counts as temporary.
   */
  readonly answerHello?:
    | ((hello: Hello) => HelloProof | undefined | Promise<HelloProof | undefined>)
    | undefined;
}

/** No request has this id, so the reply belongs to the introduction. */
export const introductionId = "hello";

/** True if there is nothing to introduce, so that the connection is open after the broker's hello. */
export function isSilent({ mesh, answerHello }: Introduction): boolean {
  return mesh === undefined && answerHello === undefined;
}

/** Returns the frame with which to answer a hello, or null if there is nothing to send (HELLO-1). */
export async function toHelloFrame(
  { mesh, answerHello }: Introduction,
  hello: Hello,
): Promise<ClientFrame | null> {
  const proof = await answerHello?.(hello);
  if (proof === undefined && mesh === undefined) return null;
  return {
    type: "hello",
    id: introductionId,
    ...(mesh !== undefined && { mesh }),
    ...(proof !== undefined && { proof }),
  };
}

/**
 * Reads the reply to the introduction. A refusal ends the connection, and also the client if reconnecting
 * cannot help.
 */
export function readAdmission(reply: Reply): Admitted | ConnectionEnd {
  if ("error" in reply) return toRefusal(MerkleError.fromBody(reply));
  return reply.output as Admitted; // The broker's frames are trusted (see parseFrame).
}

/**
 * A wrong clock may be corrected, and an answer that came too late is repeated for the next hello (HELLO-7).
 */
const passingReasons: readonly unknown[] = ["time", "nonce"];

export function toRefusal(error: unknown): ConnectionEnd {
  if (error instanceof MerkleError && !errorCodes[error.code].retry) {
    return passingReasons.includes(error.details["reason"])
      ? { comeBack: true, reason: error.message, refusal: error }
      : { comeBack: false, error };
  }
  return { comeBack: true, reason: error instanceof Error ? error.message : String(error) };
}
