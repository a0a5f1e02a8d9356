"use client";

import { PageSkeleton } from "@/components/page-skeleton";
import { useQueryParam } from "@/core/address/use-query-param";
import { lazyPart } from "@/core/lazy-part";

const skeleton = <PageSkeleton title="Files" />;
const SourceList = lazyPart(() => import("./source-list"), "SourceList", skeleton);
const FileView = lazyPart(() => import("./file-view"), "FileView", skeleton);

/** The Git files that agents may work on, or the file that the URL names. */
export function SourcesView() {
  const [file] = useQueryParam("file");
  return file === null ? <SourceList /> : <FileView key={file} path={file} />;
}
