import type { Metadata } from "next";
import { JobsTab } from "@/features/jobs/jobs-tab";

/** This page is exported once, and the broker serves it for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Jobs" };

export default function SessionJobsPage() {
  return <JobsTab />;
}
