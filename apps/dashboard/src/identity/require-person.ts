import { findPerson, onPersonChanged, type Person } from "./person";

interface NameRequest {
  resolve(person: Person): void;
  reject(reason: unknown): void;
}

/* The name dialog and the requests that wait for it. Global, because a page has one dialog and any part may need it. */
const listeners = new Set<() => void>();
let pendingRequests: readonly NameRequest[] = [];

/**
 * Returns the person using this browser. Asks for a name if there is no person yet.
 *
 * @throws DOMException named AbortError if the person gave no name. Callers show no message for it.
 */
export function requirePerson(): Promise<Person> {
  const person = findPerson();
  if (person) return Promise.resolve(person);
  return new Promise((resolve, reject) => {
    setPendingRequests([...pendingRequests, { resolve, reject }]);
  });
}

/** Returns whether a request for a name is pending. */
export function isNameRequested(): boolean {
  return pendingRequests.length > 0;
}

/**
 * Calls the listener when requests for a name start or end. Resolves pending requests once there is a person, even if
 * that person was created in another tab.
 */
export function onNameRequest(listener: () => void): () => void {
  listeners.add(listener);
  const stop = onPersonChanged(() => {
    const person = findPerson();
    if (person) settle(({ resolve }) => resolve(person));
  });
  return () => {
    listeners.delete(listener);
    stop();
  };
}

/** Rejects all pending requests for a name. */
export function declineName(): void {
  settle(({ reject }) => reject(new DOMException("No name was given.", "AbortError")));
}

function settle(answer: (request: NameRequest) => void): void {
  const requests = pendingRequests;
  setPendingRequests([]);
  requests.forEach(answer);
}

function setPendingRequests(requests: readonly NameRequest[]): void {
  pendingRequests = requests;
  for (const listener of [...listeners]) listener();
}
