import { MerkleError } from "@merkle/wire";
import { type NoteCrypto, ShapeError } from "@merkle/wire/record";
import { isSigned } from "../../core/is-signed.js";
import { sha256 } from "../../core/sha256.js";

/** Node's functions for verifying notes. */
export const nodeCrypto: NoteCrypto = {
  sha256,
  verifySignature: async (publicKey, bytes, signature) =>
    isSigned(bytes, {
      key: Buffer.from(publicKey).toString("base64url"),
      signature: Buffer.from(signature).toString("base64url"),
    }),
};

/** Runs a function over what a caller sent. @throws bad_request with the message of a ShapeError */
export function refuseShapeErrors<Result>(field: string, run: () => Result): Result {
  const refuse = (error: unknown): never => {
    if (!(error instanceof ShapeError)) throw error;
    throw new MerkleError("bad_request", error.message, { field });
  };
  try {
    const result = run();
    // A promise is returned as one, with the same error.
    return result instanceof Promise ? (result.catch(refuse) as Result) : result;
  } catch (error) {
    return refuse(error);
  }
}
