import type { Metadata } from "next";
import { DocumentPane } from "@/document/document-pane";

/** Exported once; the broker serves it for whatever session the address names. */
export const dynamicParams = false;
export const generateStaticParams = () => [{ id: "_" }];

export const metadata: Metadata = { title: "Document" };

export default function DocumentPage() {
  return <DocumentPane />;
}
