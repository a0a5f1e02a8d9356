import type { Metadata } from "next";
import { ConclusionView } from "@/views/session/conclusion-view";

/** Exported once; the broker serves it for whatever session the address names. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Conclusion" };

export default function ConclusionPage() {
  return <ConclusionView />;
}
