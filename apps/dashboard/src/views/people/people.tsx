"use client";

import { useAdmitted } from "@/broker/use-admitted";
import { useConnectionState } from "@/broker/use-connection-state";
import { Snippet } from "@/components/snippet";
import { Skeleton } from "@/ui/skeleton";
import { Invites } from "./invites";
import { Members } from "./members";

/** The members and invites of this mesh. */
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

/** Shown instead of the members on an open broker. */
function OpenNote() {
  return (
    <div className="grid max-w-prose gap-3">
      <p>
        Anyone who can reach this broker can join and post in every session. To require invites, stop it and
        start it on its machine with one of these:
      </p>
      <Snippet label="From a clone" text="npm start -- --auth invite" />
      <Snippet label="If merkle is installed" text="merkle up --auth invite" />
    </div>
  );
}
