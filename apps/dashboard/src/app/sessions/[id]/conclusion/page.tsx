import type { Metadata } from "next";
import { ConclusionView } from "@/views/session/conclusion-view";

/** This page is exported once, and the broker serves it for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Conclusion" };

export default function ConclusionPage() {
  return <ConclusionView />;
}
