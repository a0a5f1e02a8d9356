/** The human who uses this browser, as the broker knows them. */
export interface Person {
  /** Public; it authorises nothing. */
  readonly id: string;
  readonly name: string;
  /** Stands for this person wherever a team's credential is asked for. Never in an address. */
  readonly credential: string;
}

const storageKey = "merkle.person";

/*
 * The storage of a browser is one for all of a page, and so is what is read from it: this module is where it is kept.
 * Whoever is told a person here and in another tab is told the same.
 */
const listeners = new Set<() => void>();
const unknownListeners = new Set<(person: Person) => void>();
let known: { readonly text: string | null; readonly person: Person | null } = { text: null, person: null };

/** The person of this browser, or null before the first word was written. */
export function getPerson(): Person | null {
  const text = readStorage();
  if (text !== known.text) known = { text, person: parsePerson(text) };
  return known.person;
}

/** Keeps a person in this browser, for all of its tabs. */
export function setPerson(person: Person): void {
  writeStorage(JSON.stringify(person));
}

/** Forgets the person in this browser. What they wrote stays theirs. */
export function forgetPerson(): void {
  writeStorage(null);
}

/** Forgets a person whom the broker does not know, unless somebody else has taken the place meanwhile. */
export function forgetUnknownPerson(credential: string): void {
  const person = getPerson();
  if (person?.credential !== credential) return;
  forgetPerson();
  for (const tell of [...unknownListeners]) tell(person);
}

/** Listens to persons whom the broker turns out not to know. */
export function onPersonUnknown(tell: (person: Person) => void): () => void {
  unknownListeners.add(tell);
  return () => void unknownListeners.delete(tell);
}

/** Listens to changes made here and in other tabs. */
export function onPersonChanged(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => (key === storageKey || key === null) && listener();
  listeners.add(listener);
  window.addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", onStorage);
  };
}

function readStorage(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return known.text; // A browser that keeps nothing: the person lasts as long as the page.
  }
}

function writeStorage(text: string | null): void {
  known = { text, person: parsePerson(text) };
  try {
    if (text === null) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, text);
  } catch {
    // As above.
  }
  for (const listener of [...listeners]) listener();
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
