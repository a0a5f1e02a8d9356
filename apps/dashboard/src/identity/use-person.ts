"use client";

import { useSyncExternalStore } from "react";
import { useAdmitted, useLooksOn } from "@/broker/use-admitted";
import { getPerson, onPersonChanged, type Person } from "./person";
import { requirePerson } from "./require-person";
import { getVerificationCode, onVerificationCode } from "./verification";

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

/** Whether the person of this browser is a guest: not verified, and without a verification link for their first write. */
export function useIsGuest(): boolean {
  const member = useAdmitted()?.as.kind === "member";
  const person = useSyncExternalStore(onPersonChanged, getPerson, () => null);
  const code = useSyncExternalStore(onVerificationCode, getVerificationCode, () => null);
  return !member && person?.verified !== true && code === null;
}
