import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { AllTasksView } from "@/features/tasks/all-tasks-view";

export const metadata: Metadata = { title: "Tasks" };

export default function TasksPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Tasks" />}>
      <AllTasksView />
    </Suspense>
  );
}
