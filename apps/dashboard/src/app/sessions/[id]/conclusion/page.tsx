import type { Metadata } from "next";
import { ConclusionView } from "@/views/session/conclusion-view";

/** Exported once. The broker serves this page for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Conclusion" };

export default function ConclusionPage() {
  return <ConclusionView />;
}
