import type { Metadata } from "next";
import { SessionProgressPanel } from "@/features/progress/session-progress-panel";

/** Exported once. The broker serves this page for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Progress" };

export default function SessionProgressPage() {
  return <SessionProgressPanel />;
}
