import type { Metadata } from "next";
import { DocumentPane } from "@/document/document-pane";

/** This page is exported once, and the broker serves it for every session. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Document" };

export default function DocumentPage() {
  return <DocumentPane />;
}
