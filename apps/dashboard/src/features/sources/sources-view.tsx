"use client";

import dynamic from "next/dynamic";
import { PageSkeleton } from "@/components/page-skeleton";
import { useQueryParam } from "@/core/address/use-query-param";

const SourceList = dynamic(() => import("./source-list").then((part) => part.SourceList), {
  ssr: false,
  loading: PageSkeleton,
});
const FileView = dynamic(() => import("./file-view").then((part) => part.FileView), {
  ssr: false,
  loading: PageSkeleton,
});

/** The files under Git that agents may work on, or the one that the address names. */
export function SourcesView() {
  const [file] = useQueryParam("file");
  return file === null ? <SourceList /> : <FileView key={file} path={file} />;
}
