import type { Metadata } from "next";
import { TasksTab } from "@/features/tasks/tasks-tab";

/** This page is exported once, and the broker serves it for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Tasks" };

export default function SessionTasksPage() {
  return <TasksTab />;
}
