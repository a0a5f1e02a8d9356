import type { Metadata } from "next";
import { LiveView } from "@/views/session/live-view";

/** This page is exported once, and the broker serves it for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Session" };

export default function SessionPage() {
  return <LiveView />;
}
