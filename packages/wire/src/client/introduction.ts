import { errorCodes, MerkleError } from "../core/errors.js";
import type { Admitted, HelloProof } from "../identity/hello-proof.js";
import type { BrokerFrame, ClientFrame } from "../transports/frames.js";
import type { Reply } from "./requests.js";

export type Hello = Extract<BrokerFrame, { type: "hello" }>;

/** Why a connection ended, and whether another one may help. */
export type ConnectionEnd =
  | { readonly comeBack: true; readonly reason: string; readonly refusal?: MerkleError }
  | { readonly comeBack: false; readonly error: MerkleError };

/** The proof that a client gives before anything else, on each connection anew. */
export interface Introduction {
  /** The mesh that it wants to be in, by name or id. */
  readonly mesh?: string | undefined;
  /**
   * Gives the proof that a hello is answered with, or undefined where none is to be given. A MerkleError that a repetition
   * cannot help ends the client; any other error is taken for one that passes.
   */
  readonly answerHello?:
    | ((hello: Hello) => HelloProof | undefined | Promise<HelloProof | undefined>)
    | undefined;
}

/** No request has this id, so the reply is the introduction's. */
export const introductionId = "hello";

/** Whether there is never anything to say, so that a hello opens the connection at once. */
export function isSilent({ mesh, answerHello }: Introduction): boolean {
  return mesh === undefined && answerHello === undefined;
}

/** The frame to answer a hello with; null when there is nothing to say (HELLO-1). */
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

/** Reads the reply; a refusal ends the connection, and the client where coming back cannot help. */
export function readAdmission(reply: Reply): Admitted | ConnectionEnd {
  if ("error" in reply) return toRefusal(MerkleError.fromBody(reply));
  return reply.output as Admitted; // The broker's own, as every frame is (see parseFrame).
}

/** A wrong clock may be set, and an answer that took too long is made again for the next hello (HELLO-7). */
const passingReasons: readonly unknown[] = ["time", "nonce"];

export function toRefusal(error: unknown): ConnectionEnd {
  if (error instanceof MerkleError && !errorCodes[error.code].retry) {
    return passingReasons.includes(error.details["reason"])
      ? { comeBack: true, reason: error.message, refusal: error }
      : { comeBack: false, error };
  }
  return { comeBack: true, reason: error instanceof Error ? error.message : String(error) };
}
