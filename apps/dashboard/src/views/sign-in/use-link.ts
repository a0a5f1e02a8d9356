import { useState } from "react";
import type { Refusal } from "@/broker/refusal";
import { useAction } from "@/broker/use-action";
import { parseLink } from "@/identity/read-link";
import { signIn } from "@/identity/sign-in";
import { storeSecret } from "@/identity/tab-secret";

export interface LinkFollower {
  /** Redeems a pasted link according to its kind. */
  follow(text: string): Promise<void>;
  readonly isPending: boolean;
  /** The reason why the text is not a valid link. */
  readonly problem: string | null;
  /** The reason why the broker refused the link. */
  readonly refusal: Refusal | null;
}

export function useLink(onSignedIn: () => void): LinkFollower {
  const { run, isPending, refusal } = useAction();
  const [problem, setProblem] = useState<string | null>(null);

  async function follow(text: string): Promise<void> {
    const link = parseLink(text);
    setProblem(link ? null : "This is neither a sign-in link nor an invite. Paste the complete link.");
    if (!link) return;
    if (link.kind === "join") return goToJoin(link.secret);
    const isSignedIn = await run(async () => void (await signIn({ secret: link.secret })));
    if (!isSignedIn) return;
    if (link.path === null) onSignedIn();
    else window.location.assign(link.path);
  }

  return { follow, isPending, problem, refusal: refusal && explainLink(refusal) };
}

/** Opens the join page in the same tab, so that the secret never appears in a URL. */
function goToJoin(secret: string): void {
  storeSecret("join", secret);
  window.location.assign("/join");
}

/** Explains a refused link. The broker does not report the reason, but the remedy is always the same. */
export function explainLink(refusal: Refusal): Refusal {
  if (refusal.code !== "unauthorized") return refusal;
  return {
    ...refusal,
    title: "This sign-in link doesn't work.",
    detail:
      "It was already used, has expired, was revoked or is incomplete. Create a new one with merkle open, or ask for one.",
  };
}
