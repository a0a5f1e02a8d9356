"use client";

import type { ReactNode } from "react";
import { useIsObserver } from "@/broker/use-admitted";
import { useIsGuest } from "@/identity/use-person";

/** Wraps controls that affect agents. For a guest the controls are disabled, with a note on how to get verified. */
export function PowerGate({ children }: { readonly children: ReactNode }) {
  const isGuest = useIsGuest();
  return (
    <>
      <GuestNote />
      <fieldset disabled={isGuest} className="contents">
        {children}
      </fieldset>
    </>
  );
}

/** Explains to guests how to get verified. Renders nothing for other people. */
export function GuestNote() {
  const isGuest = useIsGuest();
  if (useIsObserver() || !isGuest) return null;
  return (
    <p role="status" className="text-sm text-muted-foreground">
      Guests can't control agents. Open the link that <code className="font-mono">merkle up</code> printed, or
      run <code className="font-mono">merkle open</code> on the broker’s machine.
    </p>
  );
}
