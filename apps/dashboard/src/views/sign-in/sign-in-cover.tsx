"use client";

import { useLayoutEffect, useRef } from "react";
import { useAdmitted } from "@/broker/use-admitted";
import { SignInFrame } from "./sign-in-frame";
import { SignInPanel } from "./sign-in-panel";

/**
 * Lies over the whole page, dialogs included, until somebody is signed in; what was written below it is still there then.
 * A modal dialog of the browser's own keeps the focus in it and everything below out of reach.
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
      // A browser closes a dialog that refuses twice; there is nothing to go back to.
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
          // All pages were told already, and this cover is lifted.
          onSignedIn={() => undefined}
        />
      </SignInFrame>
    </dialog>
  );
}
