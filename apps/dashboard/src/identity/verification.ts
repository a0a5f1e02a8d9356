import { MerkleError } from "@merkle/wire";
import type { Broker } from "@/broker/broker";
import { findPerson, setPerson } from "./person";
import { clearSecret, findSecret } from "./tab-secret";

const listeners = new Set<() => void>();

/**
 * Returns the code of an opened verification link until the person exists and uses it. It is stored per tab. Local storage would
 * outlast the tab, and the next program on this port could read it.
 */
export function findVerificationCode(): string | null {
  return findSecret("verification");
}

export function onVerificationCode(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function clearVerificationCode(): void {
  clearSecret("verification");
  for (const listener of [...listeners]) listener();
}

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
