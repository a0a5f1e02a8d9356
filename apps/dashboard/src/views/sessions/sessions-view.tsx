"use client";

import { Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { Suspense, useState } from "react";
import { PageBody } from "@/components/page-body";
import { PageHeader } from "@/components/page-header";
import { useQueryParam } from "@/core/address/use-query-param";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { Button } from "@/ui/button";
import { NewSessionDialog } from "./new-session-dialog-lazy";
import { SessionList } from "./session-list";
import { SessionsSkeleton } from "./sessions-skeleton";

/** It shows nothing before the broker has said what there is, and is here by then. */
const AttentionStrip = dynamic(
  () => import("@/views/attention/attention-strip").then((part) => part.AttentionStrip),
  { ssr: false },
);

const UndeliveredPanel = dynamic(
  () => import("@/views/attention/undelivered-panel").then((part) => part.UndeliveredPanel),
  { ssr: false },
);

const SincePanel = dynamic(() => import("./since-panel").then((part) => part.SincePanel), { ssr: false });

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
        <SincePanel />
        {/* The exported page does not know the address, which says what is shown. */}
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
