import { MerkleError } from "@merkle/wire";
import type { Broker } from "@/broker/broker";
import { findPerson, setPerson } from "./person";
import { clearVerificationCode, findVerificationCode } from "./verification";

/**
 * Verifies the person using this browser if a verification link was opened. A person who is already verified does not
 * use up the link.
 */
export async function followVerificationLink(broker: Broker): Promise<void> {
  const [code, person] = [findVerificationCode(), findPerson()];
  if (code === null || person === null) return;
  if (person.verified !== true) {
    try {
      await broker.call("verify_person", { code });
    } catch (error) {
      if (error instanceof MerkleError && error.code !== "unavailable") clearVerificationCode();
      throw error;
    }
    setPerson({ ...person, verified: true });
  }
  clearVerificationCode();
}
