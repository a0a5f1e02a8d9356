"use client";

import { Plus } from "lucide-react";
import { Suspense, useState } from "react";
import { PageBody } from "@/components/page-body";
import { PageHeader } from "@/components/page-header";
import { useQueryParam } from "@/core/address/use-query-param";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { Parts } from "@/parts/features-context";
import { Button } from "@/ui/button";
import { SessionList } from "./session-list";
import { SessionsSkeleton } from "./sessions-skeleton";

// Shows nothing before the broker has answered, and is loaded by then.
const AttentionStrip = lazyPart(() => import("@/views/attention/attention-strip"), "AttentionStrip");
const UndeliveredPanel = lazyPart(() => import("@/views/attention/undelivered-panel"), "UndeliveredPanel");

const NewSessionDialog = lazyPart(() => import("./new-session-dialog"), "NewSessionDialog");

/** The first page: what needs me, what changed, and all sessions. */
export function SessionsView() {
  const [isStarting, setIsStarting] = useState(false);
  useShortcut("n", () => setIsStarting(true), { label: "New session", group: "Sessions" });
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Sessions" }]}
        actions={
          <Button title="New session  N" onClick={() => setIsStarting(true)}>
            <Plus aria-hidden />
            New session
          </Button>
        }
      />
      <PageBody>
        <h1 className="sr-only">Sessions</h1>
        <AttentionStrip />

        <Parts of={(feature) => feature.Home} />
        {/* The address says what is shown, and the exported page does not know it. */}
        <Suspense fallback={<SessionsSkeleton />}>
          <SessionsOrMessages onStart={() => setIsStarting(true)} />
        </Suspense>
      </PageBody>
      {isStarting && <NewSessionDialog onClose={() => setIsStarting(false)} />}
    </>
  );
}

/** The list of sessions, or what `?undelivered=` asks for in its place. */
function SessionsOrMessages({ onStart }: { readonly onStart: () => void }) {
  const [undelivered] = useQueryParam("undelivered");
  return undelivered === null ? (
    <SessionList onStart={onStart} />
  ) : (
    <UndeliveredPanel session={undelivered} />
  );
}
