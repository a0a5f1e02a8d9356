import type { Metadata } from "next";
import { LiveView } from "@/views/session/live-view";

/** Exported once. The broker serves this page for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Session" };

export default function SessionPage() {
  return <LiveView />;
}
