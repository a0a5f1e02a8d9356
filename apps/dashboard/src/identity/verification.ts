import { MerkleError } from "@merkle/wire";
import type { Broker } from "@/broker/broker";
import { createStoredValue } from "@/core/preferences/stored-value";
import { getPerson, setPerson } from "./person";

/** Where the code of a link that verifies waits for the person of this browser, who may have no name yet. */
export const verificationKey = "merkle.verification";

const stored = createStoredValue(verificationKey, (text) => text);

export const getVerificationCode: () => string | null = stored.get;
export const onVerificationCode: (listener: () => void) => () => void = stored.onChange;

export function forgetVerificationCode(): void {
  stored.set(null);
}

/** Makes the person of this browser a verified one, where a link was opened that does. One that is verified keeps the link unused. */
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
