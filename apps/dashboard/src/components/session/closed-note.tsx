"use client";

import Link from "next/link";
import { TimeText } from "@/components/time-text";
import { Button } from "@/components/ui/button";
import { useRead } from "@/lib/broker/use-read";
import { useSessionActions } from "./session-actions";
import { useSession } from "./session-context";

/** Stands where the composer of an open session does: who closed it, and where the work can go on. */
export function ClosedNote() {
  const { session, myTeamId } = useSession();
  const { open } = useSessionActions();
  const by = useCloser(session.session_id, session.closed_at);
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
        {session.closed_at !== null && <TimeText at={session.closed_at} as="clock" />}. It can be read for
        ever.
      </p>
      {myTeamId !== null && (
        <Button variant="outline" size="sm" onClick={() => open("conclude")}>
          Revise the conclusion
        </Button>
      )}
      <Button asChild size="sm">
        <Link href={`/?new=1&from=${encodeURIComponent(session.slug)}`}>New session from this</Link>
      </Button>
    </footer>
  );
}

/** Who closed it: the first conclusion did, later ones only revise it. */
function useCloser(sessionId: string, closedAt: string | null): string | null {
  const { data } = useRead("get_timeline", { session_id: sessionId, buckets: 1 });
  const conclusions = (data?.marks ?? []).filter(({ kind }) => kind === "concluded");
  const first = conclusions.find(({ at }) => at === closedAt) ?? conclusions[0];
  return first?.by ?? null;
}
