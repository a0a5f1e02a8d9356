import { createStoredValue } from "@/core/preferences/stored-value";
import { chosenMesh } from "./chosen-mesh";

/** The human who uses this browser, as the broker knows them. */
export interface Person {
  /** Public; it authorises nothing. */
  readonly id: string;
  readonly name: string;
  /** The person's credential, accepted in place of a team's. Never in an address. */
  readonly credential: string;
  /** Whether it is verified; of one that was kept before it could be, nothing is known. */
  readonly verified?: boolean;
}

const stored = createStoredValue(
  chosenMesh === undefined ? "merkle.person" : `merkle.person.${chosenMesh}`,
  parsePerson,
);
const unknownListeners = new Set<(person: Person) => void>();

/** The person of this browser, or null before the first word was written. */
export const getPerson: () => Person | null = stored.get;

/** Listens to changes made here and in other tabs. */
export const onPersonChanged: (listener: () => void) => () => void = stored.onChange;

/** Keeps a person in this browser, for all of its tabs. */
export function setPerson(person: Person): void {
  stored.set(JSON.stringify(person));
}

/** The name by which this browser's human is known in the main mesh. */
export function nameInMain(): string | undefined {
  return parsePerson(readStored("merkle.person"))?.name;
}

function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // This browser keeps nothing.
  }
}

/** Forgets the person in this browser. What they wrote stays theirs. */
export function forgetPerson(): void {
  stored.set(null);
}

/** Forgets a person whom the broker does not know, unless another person is stored by now. */
export function forgetUnknownPerson(credential: string): void {
  const person = getPerson();
  if (person?.credential !== credential) return;
  forgetPerson();
  for (const tell of [...unknownListeners]) tell(person);
}

/** Listens for persons whom the broker does not know. */
export function onPersonUnknown(tell: (person: Person) => void): () => void {
  unknownListeners.add(tell);
  return () => void unknownListeners.delete(tell);
}

function parsePerson(text: string | null): Person | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isPerson(value) ? value : null;
  } catch {
    return null; // Not of ours.
  }
}

function isPerson(value: unknown): value is Person {
  if (typeof value !== "object" || value === null) return false;
  const { id, name, credential } = value as Partial<Record<keyof Person, unknown>>;
  return typeof id === "string" && typeof name === "string" && typeof credential === "string";
}
