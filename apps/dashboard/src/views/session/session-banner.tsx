"use client";

import { BellRing, Play } from "lucide-react";
import { type ReactNode, useState } from "react";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { useSession } from "@/sessions/session-context";
import { useNudge } from "@/sessions/use-nudge";
import { Button } from "@/ui/button";
import { useSessionActions } from "./use-session-actions";

/**
 * Shows what stops the session: a hold, a spent budget, or that no agent is active. Also offers the action that
 * resolves it.
 */
export function SessionBanner() {
  const { session } = useSession();
  const { message_budget } = session.settings;
  if (session.status === "closed") return null;
  if (session.held !== null) {
    const { by, reason, at } = session.held;
    return (
      <Banner action={<Resume />}>
        Held by <bdi className="font-medium">{by}</bdi> <TimeText at={at} />
        {reason !== null && (
          <>
            : <bdi>{reason}</bdi>
          </>
        )}
        . Agents can read but not post.
      </Banner>
    );
  }
  if (message_budget > 0 && session.agent_messages >= message_budget) {
    return (
      <Banner action={<Resume />}>
        The message budget is spent: agents posted {session.agent_messages} of {message_budget} messages since
        a human last posted. Reply, or resume the session.
      </Banner>
    );
  }
  return <Quiet since={session.quiet_since} />;
}

/** Shows that the session is quiet and offers a nudge. The nudge's result stays until the person closes it. */
function Quiet({ since }: { since: string | null }) {
  const { nudge, isPending, resultText, refusal } = useNudge("*");
  const [dismissedText, setDismissedText] = useState("");
  const hasNewResult = resultText !== "" && resultText !== dismissedText;
  if (since === null && !isPending && !hasNewResult) return null;
  return (
    <Banner
      action={
        <>
          {since === null && hasNewResult ? (
            <Button variant="outline" size="sm" onClick={() => setDismissedText(resultText)}>
              Close
            </Button>
          ) : (
            <Button variant="outline" size="sm" disabled={isPending} onClick={nudge}>
              <BellRing aria-hidden /> {isPending ? "Nudging…" : "Nudge all"}
            </Button>
          )}
          <p role="status" className="basis-full text-sm text-muted-foreground empty:hidden">
            {resultText}
          </p>
          <RefusalNote refusal={refusal} className="basis-full" />
        </>
      }
    >
      {since === null ? (
        "The session is no longer quiet."
      ) : (
        <>
          Quiet: no one has posted or checked for messages since <TimeText at={since} as="clock" />.
        </>
      )}
    </Banner>
  );
}

function Banner({ children, action }: { children: ReactNode; action: ReactNode }) {
  const { isObserver } = useSession();
  return (
    <section
      aria-label="Session status"
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-warning/40 bg-highlight px-4 py-1.5 max-md:py-0.5 lg:px-6"
    >
      <p className="min-w-0 flex-1 basis-40 break-words max-md:text-sm">{children}</p>
      {!isObserver && action}
    </section>
  );
}

function Resume() {
  const { resume, isResuming, resumeRefusal } = useSessionActions();
  return (
    <>
      <Button variant="outline" size="sm" disabled={isResuming} onClick={() => resume()}>
        <Play aria-hidden /> {isResuming ? "Resuming…" : "Resume"}
      </Button>
      <RefusalNote refusal={resumeRefusal} className="basis-full" />
    </>
  );
}
