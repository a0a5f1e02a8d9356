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

// Loaded lazily, because it shows nothing until the broker answers, and loads within that time.
const AttentionStrip = lazyPart(() => import("@/views/attention/attention-strip"), "AttentionStrip");
const UndeliveredPanel = lazyPart(() => import("@/views/attention/undelivered-panel"), "UndeliveredPanel");

const NewSessionDialog = lazyPart(() => import("./new-session-dialog"), "NewSessionDialog");

/** The home page: items that need this person, recent changes, and all sessions. */
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

        <Parts select={(feature) => feature.Home} />
        {/* The URL selects the content, and the exported page does not know its URL. */}
        <Suspense fallback={<SessionsSkeleton />}>
          <SessionsOrMessages onStart={() => setIsStarting(true)} />
        </Suspense>
      </PageBody>
      {isStarting && <NewSessionDialog onClose={() => setIsStarting(false)} />}
    </>
  );
}

/** The list of sessions, or the undelivered messages if the URL contains `?undelivered=`. */
function SessionsOrMessages({ onStart }: { readonly onStart: () => void }) {
  const [undelivered] = useQueryParam("undelivered");
  return undelivered === null ? (
    <SessionList onStart={onStart} />
  ) : (
    <UndeliveredPanel session={undelivered} />
  );
}
