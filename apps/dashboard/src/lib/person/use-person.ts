"use client";

import { useSyncExternalStore } from "react";
import { useLooksOn } from "@/lib/broker/use-admitted";
import { getPerson, onPersonChanged, type Person } from "./person";
import { requirePerson } from "./require-person";

/**
 * The person of this browser, kept up to date; null before the first word was written, in the page as exported, and where
 * one may only look on.
 */
export function usePerson(): {
  readonly person: Person | null;
  readonly requirePerson: () => Promise<Person>;
} {
  const person = useSyncExternalStore(onPersonChanged, getPerson, () => null);
  return { person: useLooksOn() ? null : person, requirePerson };
}
