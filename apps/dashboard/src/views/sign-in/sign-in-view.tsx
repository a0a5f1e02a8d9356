"use client";

import { useEffect, useRef, useState } from "react";
import { type Refusal, toRefusal } from "@/broker/refusal";
import { RefusalNote } from "@/components/refusal-note";
import { readSignIn, signIn } from "@/identity/sign-in";
import { takeSecret } from "@/identity/tab-secret";
import { SignInFrame } from "./sign-in-frame";
import { SignInPanel } from "./sign-in-panel";
import { explainLink } from "./use-link";

/** Redeems the sign-in link immediately. Link previews and prefetchers run no scripts, so they cannot use up the link. */
export function SignInView() {
  const [state, setState] = useState<"looking" | "waiting" | Refusal>("looking");
  const hasBegun = useRef(false);
  useEffect(() => {
    // React may run effects twice, but a link can be redeemed only once.
    if (hasBegun.current) return;
    hasBegun.current = true;
    const secret = takeSecret("sign-in");
    if (secret === null) return setState("waiting");
    followSecret(secret).then(openNextPage, (error: unknown) => setState(explainLink(toRefusal(error))));
  }, []);
  return (
    <SignInFrame>
      {state === "looking" ? (
        <h1 role="status" className="text-title font-semibold">
          Signing in…
        </h1>
      ) : (
        <>
          {state !== "waiting" && <RefusalNote refusal={state} />}
          <SignInPanel
            title="Sign in"
            about={<p>Agents and people work together here. Only members can connect.</p>}
            onSignedIn={openNextPage}
          />
        </>
      )}
    </SignInFrame>
  );
}

/** A member who opens an observer link stays signed in as a member, who may do more. */
async function followSecret(secret: string): Promise<void> {
  if (secret.startsWith("mko_") && (await readSignIn()).you?.kind === "member") return;
  await signIn({ secret });
}

/** Replaces the history entry, because a used link cannot be redeemed again. */
function openNextPage(): void {
  window.location.replace(takeSecret("then") ?? "/");
}
