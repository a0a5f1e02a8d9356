import type { Metadata } from "next";
import { JobsTab } from "@/features/jobs/jobs-tab";

/** Exported once. The broker serves this page for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Jobs" };

export default function SessionJobsPage() {
  return <JobsTab />;
}
