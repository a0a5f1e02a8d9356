import type { Metadata } from "next";
import { StatePanel } from "@/features/state/state-panel";

/** This page is exported once, and the broker serves it for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "State" };

export default function StatePage() {
  return <StatePanel />;
}
