import { timingSafeEqual } from "node:crypto";
import { limits, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { hashSecret } from "../credential.js";
import { makeVerificationCode } from "./verification.js";

/** Makes a link that verifies a person, for who can read the broker's Merkle home (PERSON-10). */
export async function createVerificationCode(
  { services, write }: Context<IdentityServices>,
  { home_key }: ParsedInputOf<"create_verification_code">,
): Promise<OutputOf<"create_verification_code">> {
  if (!timingSafeEqual(hashSecret(home_key), hashSecret(services.homeKey))) {
    throw new MerkleError(
      "forbidden",
      "This is not the key of this broker's Merkle home. Run merkle open on the broker's machine, as the user that it runs as.",
    );
  }
  return write(async ({ tx }) => {
    const { code, link, expiresAt } = await makeVerificationCode(tx, services, limits.verificationSeconds);
    return { code, link, expires_at: expiresAt.toISOString() };
  });
}
