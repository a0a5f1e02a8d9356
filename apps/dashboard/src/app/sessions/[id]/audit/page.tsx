import type { Metadata } from "next";
import { AuditView } from "@/features/seal/audit-view";

/** This page is exported once, and the broker serves it for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Audit" };

export default function SessionAuditPage() {
  return <AuditView />;
}
