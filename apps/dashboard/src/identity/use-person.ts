"use client";

import { useSyncExternalStore } from "react";
import { useAdmitted, useIsObserver } from "@/broker/use-admitted";
import { findPerson, onPersonChanged, type Person } from "./person";
import { requirePerson } from "./require-person";
import { findVerificationCode, onVerificationCode } from "./verification";

/**
 * Returns the person using this browser, kept up to date. Null before the first write, in the exported page, and for
 * observers.
 */
export function usePerson(): {
  readonly person: Person | null;
  readonly requirePerson: () => Promise<Person>;
} {
  const person = useSyncExternalStore(onPersonChanged, findPerson, () => null);
  return { person: useIsObserver() ? null : person, requirePerson };
}

/**
 * True if the person using this browser is a guest: not verified, and with no verification link that would verify them
 * on their first write.
 */
export function useIsGuest(): boolean {
  const isMember = useAdmitted()?.as.kind === "member";
  const person = useSyncExternalStore(onPersonChanged, findPerson, () => null);
  const code = useSyncExternalStore(onVerificationCode, findVerificationCode, () => null);
  return !isMember && person?.verified !== true && code === null;
}
