"use client";

import { limits } from "@merkle/wire/limits";
import { useState } from "react";
import { TimeText } from "@/components/time-text";
import { lazyPart } from "@/core/lazy-part";
import { Parts } from "@/parts/features-context";
import { type SessionFacts, useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { useClosedBy } from "./use-closed-by";
import { useSessionActions } from "./use-session-actions";

const NewSessionDialog = lazyPart(() => import("@/views/sessions/new-session-dialog"), "NewSessionDialog");

/** Replaces the composer in a closed session: shows who closed it, and lets the work continue in a new session. */
export function ClosedNote() {
  const { session, myTeamId, isObserver } = useSession();
  const { open } = useSessionActions();
  const [isContinuing, setContinuing] = useState(false);
  const by = useClosedBy(session);
  return (
    <footer className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t bg-surface px-4 py-3 lg:px-6 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
      <p className="min-w-0 flex-1 basis-48 text-muted-foreground">
        Closed
        {by !== null && (
          <>
            {" "}
            by <bdi className="font-medium text-foreground">{by}</bdi>
          </>
        )}{" "}
        {session.closed_at !== null && <TimeText at={session.closed_at} as="clock" />}. Read-only.
      </p>
      <div className="flex flex-wrap gap-2">
        <Parts select={({ session: parts }) => parts?.Closed} />
        {myTeamId !== null && (
          <Button variant="outline" size="sm" onClick={() => open("conclude")}>
            Revise conclusion
          </Button>
        )}
        {!isObserver && (
          <Button size="sm" onClick={() => setContinuing(true)}>
            Continue in a new session
          </Button>
        )}
      </div>
      {isContinuing && (
        <NewSessionDialog initial={toContinue(session)} from={session} onClose={() => setContinuing(false)} />
      )}
    </footer>
  );
}

/** Returns the title and description for a session that continues this one. The broker adds a reference to the description. */
function toContinue({ title, description }: SessionFacts["session"]): { title: string; description: string } {
  return { title: `${title}, continued`.slice(0, limits.titleCharsMax), description };
}
