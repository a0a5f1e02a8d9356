"use client";

import { useEffect, useMemo } from "react";
import { useIsObserver } from "@/broker/use-admitted";
import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
import { announceFront } from "@/sessions/front-session";
import { SourceContext, type SourceFacts } from "@/sessions/source-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { FilePane } from "./file-pane";
import { useFile } from "./use-file";

/** The page of one file. */
export function FileView({ path }: { readonly path: string }) {
  const file = useFile(path);
  const isObserver = useIsObserver();
  const revision = file.data?.source_sha;
  const facts = useMemo<SourceFacts>(
    () => ({ source: { kind: "file", source_path: path }, revision, isOpen: true, isObserver }),
    [path, revision, isObserver],
  );
  useEffect(() => announceFront(path), [path]);
  const name = showHidden(path);
  return (
    <SourceContext value={facts}>
      <div className="flex h-[calc(100dvh-var(--bottom-bar))] min-h-0 min-w-0 flex-col short:h-auto">
        <h1 dir="auto" className="sr-only">
          {name}
        </h1>
        <PageHeader crumbs={[{ label: "Files", href: "/sources" }, { label: name }]} />
        {/* On a short screen, everything above this element scrolls out of view, and the element fills the screen. */}
        <div className="flex min-h-0 min-w-0 flex-1 flex-col short:h-[calc(100dvh-var(--bottom-bar))] short:min-h-96 short:flex-none">
          <PanelBoundary title="File">
            <FilePane path={path} file={file} />
          </PanelBoundary>
        </div>
      </div>
    </SourceContext>
  );
}
