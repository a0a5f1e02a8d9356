"use client";

import { useSyncExternalStore } from "react";
import { getPerson, onPersonChanged, type Person } from "./person";
import { requirePerson } from "./require-person";

/** The person of this browser, kept up to date; null before the first word was written, and in the page as exported. */
export function usePerson(): {
  readonly person: Person | null;
  readonly requirePerson: () => Promise<Person>;
} {
  const person = useSyncExternalStore(onPersonChanged, getPerson, () => null);
  return { person, requirePerson };
}
