"use client";

import { PageSkeleton } from "@/components/page-skeleton";
import { useQueryParam } from "@/core/address/use-query-param";
import { lazyPart } from "@/core/lazy-part";

const SourceList = lazyPart(() => import("./source-list"), "SourceList", <PageSkeleton />);
const FileView = lazyPart(() => import("./file-view"), "FileView", <PageSkeleton />);

/** The files under Git that agents may work on, or the one that the address names. */
export function SourcesView() {
  const [file] = useQueryParam("file");
  return file === null ? <SourceList /> : <FileView key={file} path={file} />;
}
