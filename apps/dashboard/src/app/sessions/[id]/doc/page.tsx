import type { Metadata } from "next";
import { DocumentPane } from "@/document/document-pane";

/** Exported once. The broker serves this page for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Document" };

export default function DocumentPage() {
  return <DocumentPane />;
}
