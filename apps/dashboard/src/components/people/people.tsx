"use client";

import { Skeleton } from "@/components/ui/skeleton";
import { useAdmitted } from "@/lib/broker/use-admitted";
import { useConnectionState } from "@/lib/broker/use-connection-state";
import { Invites } from "./invites";
import { Members } from "./members";
import { OpenNote } from "./open-note";

/** Who is let in, and how others are. */
export function People() {
  const admitted = useAdmitted();
  const isConnected = useConnectionState().status === "open";
  if (admitted === null) return isConnected ? <OpenNote /> : <Skeleton className="h-16" />;
  return (
    <div className="grid gap-6">
      <div className="grid gap-2">
        <h3 className="font-medium">Invites</h3>
        <Invites />
      </div>
      <div className="grid gap-2">
        <h3 className="font-medium">Members</h3>
        <Members />
      </div>
    </div>
  );
}
