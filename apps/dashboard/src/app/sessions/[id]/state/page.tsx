import type { Metadata } from "next";
import { Suspense } from "react";
import { SessionView } from "@/components/session/session-view";
import { PageSkeleton } from "@/components/shell/page-skeleton";

/** Exported once; the broker serves it for whatever session the address names. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Session" };

export default function SessionPage() {
  return (
    <Suspense fallback={<PageSkeleton />}>
      <SessionView />
    </Suspense>
  );
}
