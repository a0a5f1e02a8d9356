import { MerkleError } from "@merkle/wire";
import type { Broker } from "@/broker/broker";
import { forgetKept, getKept } from "./kept-secret";
import { getPerson, setPerson } from "./person";

const listeners = new Set<() => void>();

/**
 * Returns the code of a link that verifies, while it waits for the person of this browser, who may have no name yet. It is kept
 * in the tab that opened the link: a tab ends, and what all tabs share would outlast it for whoever has this port next.
 */
export function getVerificationCode(): string | null {
  return getKept("verification");
}

export function onVerificationCode(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function forgetVerificationCode(): void {
  forgetKept("verification");
  for (const listener of [...listeners]) listener();
}

/**
 * Makes the person of this browser a verified one, where a link was opened that does. One that is verified keeps the link
 * unused.
 */
export async function followVerificationLink(broker: Broker): Promise<void> {
  const [code, person] = [getVerificationCode(), getPerson()];
  if (code === null || person === null) return;
  if (person.verified !== true) {
    try {
      await broker.call("verify_person", { code });
    } catch (error) {
      if (error instanceof MerkleError && error.code !== "unavailable") forgetVerificationCode();
      throw error;
    }
    setPerson({ ...person, verified: true });
  }
  forgetVerificationCode();
}
