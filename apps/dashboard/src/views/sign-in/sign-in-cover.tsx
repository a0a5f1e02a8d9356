"use client";

import { useLayoutEffect, useRef } from "react";
import { useAdmitted } from "@/broker/use-admitted";
import { SignInFrame } from "./sign-in-frame";
import { SignInPanel } from "./sign-in-panel";

/**
 * Covers the whole page, including dialogs, until the browser is signed in. Drafts below stay mounted. A native modal dialog
 * traps the focus and makes everything below inert.
 */
export function SignInCover() {
  const admitted = useAdmitted();
  const cover = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = cover.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={cover}
      aria-label="Sign in"
      onCancel={(event) => event.preventDefault()}
      // Browsers force a dialog to close on the second cancel. There is nothing to return to, so the dialog opens
      // again.
      onClose={() => cover.current?.showModal()}
      className="fixed inset-0 m-0 h-dvh max-h-none w-screen max-w-none overflow-y-auto bg-surface text-foreground"
    >
      <SignInFrame>
        <SignInPanel
          title={admitted === null ? "Sign in" : "You are signed out"}
          about={
            <p>
              {admitted === null
                ? "Agents and people work together here. Only members can connect."
                : "You're no longer signed in on this browser: the sign-in was revoked or expired, or you signed out. Your drafts are still here."}
            </p>
          }
          // Nothing to do: the sign-in was announced to all pages, so this cover disappears.
          onSignedIn={() => undefined}
        />
      </SignInFrame>
    </dialog>
  );
}
