import type { Metadata } from "next";
import { SessionProgressPanel } from "@/features/progress/session-progress-panel";

/** This page is exported once, and the broker serves it for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Progress" };

export default function SessionProgressPage() {
  return <SessionProgressPanel />;
}
