import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { AgentsView } from "@/features/agents/agents-view";

export const metadata: Metadata = { title: "Agents" };

export default function AgentsPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Agents" />}>
      <AgentsView />
    </Suspense>
  );
}
