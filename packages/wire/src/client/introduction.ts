import { errorCodes, MerkleError } from "../core/errors.js";
import type { HelloProof, HelloResult } from "../identity/hello-proof.js";
import type { BrokerFrame, ClientFrame } from "../transports/frames.js";
import type { Reply } from "./requests.js";

export type Hello = Extract<BrokerFrame, { type: "hello" }>;

/** The reason why a connection ended, and whether to reconnect. */
export type ConnectionEnd =
  | { readonly canReconnect: true; readonly reason: string; readonly refusal?: MerkleError }
  | { readonly canReconnect: false; readonly error: MerkleError };

/** How the client proves its identity. The proof is sent first on each new connection. */
export interface Introduction {
  /** Name or id of the mesh that the client wants to use. */
  readonly mesh?: string | undefined;
  /**
   * Returns the proof with which to answer a broker's hello, or undefined to send no proof. If it throws a
   * MerkleError that a retry cannot fix, the client ends. Any other error counts as temporary.
   */
  readonly answerHello?:
    | ((hello: Hello) => HelloProof | undefined | Promise<HelloProof | undefined>)
    | undefined;
}

/**
 * Request id of the introduction. No other request has this id, so the introduction's reply can be
 * recognised.
 */
export const introductionId = "hello";

/**
 * Returns true if there is nothing to introduce. The connection is then open as soon as the broker's hello
 * arrives.
 */
export function isSilent({ mesh, answerHello }: Introduction): boolean {
  return mesh === undefined && answerHello === undefined;
}

/** Returns the frame with which to answer a broker's hello, or null if there is nothing to send (HELLO-1). */
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
 * Reads the reply to the introduction. A refusal ends the connection. If reconnecting cannot help, it also
 * ends the client.
 */
export function readAdmission(reply: Reply): HelloResult | ConnectionEnd {
  if ("error" in reply) return toConnectionEnd(MerkleError.fromBody(reply));
  return reply.output as HelloResult; // The broker's frames are trusted (see parseFrame).
}

/**
 * Reasons for a refusal that may not apply to a later introduction: a wrong clock may be corrected, and a
 * proof that came too late is sent again for the next hello (HELLO-7).
 */
const transientReasons: readonly unknown[] = ["time", "nonce"];

export function toConnectionEnd(error: unknown): ConnectionEnd {
  if (error instanceof MerkleError && !errorCodes[error.code].retry) {
    return transientReasons.includes(error.details["reason"])
      ? { canReconnect: true, reason: error.message, refusal: error }
      : { canReconnect: false, error };
  }
  return { canReconnect: true, reason: error instanceof Error ? error.message : String(error) };
}
