"use client";

import { useEffect, useState } from "react";
import { type Problem, toProblem } from "@/broker/problem";
import { ProblemAlert } from "@/components/problem-alert";
import { useHydrated } from "@/core/address/use-hydrated";
import { type InvitePreview, previewInvite } from "@/identity/join";
import { findSecret } from "@/identity/tab-secret";
import { Skeleton } from "@/ui/skeleton";
import { SignInFrame } from "@/views/sign-in/sign-in-frame";
import { SignInPanel } from "@/views/sign-in/sign-in-panel";
import { DeadInvite, UnknownInvite } from "./dead-invite";
import { OpenInvite } from "./open-invite";

type PreviewState =
  | { readonly is: "looking" }
  | { readonly is: "found"; readonly preview: InvitePreview }
  | { readonly is: "failed"; readonly problem: Problem };

/** Shows an invite before it is redeemed. It reveals nothing about the session except its title. */
export function JoinView() {
  // The exported page does not know the invite.
  const isHydrated = useHydrated();
  return <SignInFrame isWide>{isHydrated ? <JoinByLink /> : <Looking />}</SignInFrame>;
}

function JoinByLink() {
  const [invite] = useState(() => findSecret("join"));
  if (invite === null) {
    return (
      <SignInPanel
        title="Join"
        about={
          <p>
            Open your invite link, or paste it here. You can also type a code that someone read out to you.
          </p>
        }
        onSignedIn={() => window.location.replace("/")}
      />
    );
  }
  return <Invited invite={invite} />;
}

function Invited({ invite }: { readonly invite: string }) {
  const [state, setState] = useState<PreviewState>({ is: "looking" });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt reads again.
  useEffect(() => {
    let isCurrent = true;
    const update = (next: PreviewState) => isCurrent && setState(next);
    previewInvite(invite).then(
      (preview) => update({ is: "found", preview }),
      (error: unknown) => update({ is: "failed", problem: toProblem(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [invite, attempt]);

  if (state.is === "looking") return <Looking />;
  if (state.is === "found") {
    const { preview } = state;
    return preview.state === "open" ? (
      <OpenInvite invite={invite} preview={preview} />
    ) : (
      <DeadInvite state={preview.state} preview={preview} />
    );
  }
  const { problem } = state;
  if (problem.code === "not_found" || problem.code === "bad_request") return <UnknownInvite />;
  return (
    <>
      <h1 className="text-title font-semibold">Join</h1>
      <ProblemAlert
        title="Couldn't load the invite."
        problem={problem}
        stillWorks="This didn’t use up the invite."
        onRetry={() => setAttempt(attempt + 1)}
      />
    </>
  );
}

function Looking() {
  return (
    <div aria-busy="true" className="grid gap-4">
      <h1 className="text-title font-semibold">Join</h1>
      <Skeleton className="h-5 w-3/4" />
      <Skeleton className="h-24" />
    </div>
  );
}
