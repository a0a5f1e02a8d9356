import type { Metadata } from "next";
import { SessionMemoryPanel } from "@/features/memory/session-memory-panel";

/** This page is exported once, and the broker serves it for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Memory" };

export default function SessionMemoryPage() {
  return <SessionMemoryPanel />;
}
