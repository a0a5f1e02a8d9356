import { createStoredValue } from "@/core/preferences/stored-value";
import { chosenMesh } from "./chosen-mesh";

/** The person who uses this browser, as the broker knows them. */
export interface Person {
  /** Public id, which authorises nothing. */
  readonly id: string;
  readonly name: string;
  /** The person's credential, accepted instead of a team's. Never part of a URL. */
  readonly credential: string;
  /** Whether the person is verified. Undefined for a person stored before verification existed. */
  readonly verified?: boolean;
}

const stored = createStoredValue(
  chosenMesh === undefined ? "merkle.person" : `merkle.person.${chosenMesh}`,
  parsePerson,
);
const unknownListeners = new Set<(person: Person) => void>();

/** Returns the person using this browser, or null before their first write. */
export const findPerson: () => Person | null = stored.get;

/** Calls the listener when the person changes, in this or another tab. */
export const onPersonChanged: (listener: () => void) => () => void = stored.onChange;

/** Stores a person for all tabs of this browser. */
export function setPerson(person: Person): void {
  stored.set(JSON.stringify(person));
}

/** Returns the name that the person using this browser has in the main mesh. */
export function findNameInMain(): string | undefined {
  return parsePerson(readStored("merkle.person"))?.name;
}

function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // Without storage there is no person.
  }
}

/** Removes the person from this browser. Their messages remain theirs. */
export function clearPerson(): void {
  stored.set(null);
}

/** Removes a person whom the broker does not know, unless another person has been stored since. */
export function clearUnknownPerson(credential: string): void {
  const person = findPerson();
  if (person?.credential !== credential) return;
  clearPerson();
  for (const listener of [...unknownListeners]) listener(person);
}

/** Calls the listener when a stored person turns out to be unknown to the broker. */
export function onPersonUnknown(listener: (person: Person) => void): () => void {
  unknownListeners.add(listener);
  return () => void unknownListeners.delete(listener);
}

function parsePerson(text: string | null): Person | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isPerson(value) ? value : null;
  } catch {
    return null; // Another program or version wrote this item.
  }
}

function isPerson(value: unknown): value is Person {
  if (typeof value !== "object" || value === null) return false;
  const { id, name, credential } = value as Partial<Record<keyof Person, unknown>>;
  return typeof id === "string" && typeof name === "string" && typeof credential === "string";
}
