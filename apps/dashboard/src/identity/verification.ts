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
