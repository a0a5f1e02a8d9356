import { getPerson, onPersonChanged, type Person } from "./person";

interface NameRequest {
  resolve(person: Person): void;
  reject(reason: unknown): void;
}

/*
 * The dialog that asks for a name, and the requests that wait for it. A page has one dialog, and any part of it may need that.
 */
const listeners = new Set<() => void>();
let waiting: readonly NameRequest[] = [];

/**
 * The person of this browser; whoever has not said a name yet is asked for it.
 *
 * @throws DOMException named AbortError when the name was not given: then nothing is to be said about it
 */
export function requirePerson(): Promise<Person> {
  const person = getPerson();
  if (person) return Promise.resolve(person);
  return new Promise((resolve, reject) => {
    setWaiting([...waiting, { resolve, reject }]);
  });
}

/** Whether somebody waits for a name. */
export function isNameAsked(): boolean {
  return waiting.length > 0;
}

/** Listens to changes of that, and answers those who wait as soon as there is a person, whichever tab asked. */
export function onNameAsked(listener: () => void): () => void {
  listeners.add(listener);
  const stop = onPersonChanged(() => {
    const person = getPerson();
    if (person) settle(({ resolve }) => resolve(person));
  });
  return () => {
    listeners.delete(listener);
    stop();
  };
}

/** Everyone who waits for a name goes without. */
export function declineName(): void {
  settle(({ reject }) => reject(new DOMException("No name was given.", "AbortError")));
}

function settle(answer: (request: NameRequest) => void): void {
  const requests = waiting;
  setWaiting([]);
  requests.forEach(answer);
}

function setWaiting(requests: readonly NameRequest[]): void {
  waiting = requests;
  for (const listener of [...listeners]) listener();
}
