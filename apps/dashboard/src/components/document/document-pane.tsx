"use client";

import { type ReactNode, Suspense, useRef } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { useSession } from "@/components/session/session-context";
import { setQuery } from "@/lib/query/address";
import { useQueryParam } from "@/lib/query/use-query-param";
import { DocumentBanner } from "./document-banner";
import { DocumentEmpty } from "./document-empty";
import { DocumentHeader } from "./document-header";
import { DocumentReader } from "./document-reader";
import { DocumentSkeleton } from "./document-skeleton";
import { AppendNote, CompareView, DocumentEditor, DocumentHistory } from "./lazy-faces";
import { OutlineAside } from "./outline-places";
import { RemovedVersion } from "./removed-version";
import { type DocumentRead, useDocument } from "./use-document";
import { useCompareParam, useVersionParam } from "./use-version-param";

/** The session's document: read, written, compared with what it was. What of it is shown stands in the address. */
export function DocumentPane() {
  return (
    <PanelBoundary title="The document">
      <Suspense fallback={<DocumentSkeleton />}>
        <DocumentFaces />
      </Suspense>
    </PanelBoundary>
  );
}

function DocumentFaces() {
  const { session, at, looksOn } = useSession();
  const version = useVersionParam();
  const comparison = useCompareParam();
  const [face] = useQueryParam("doc");
  const [edit] = useQueryParam("edit");
  const scroller = useRef<HTMLDivElement>(null);
  const { data: doc, problem, refresh } = useDocument({ version, at });
  const isLive = version === null && at === null;
  const isOpen = session.status === "active" && !looksOn;
  const canEdit = isLive && isOpen && doc !== undefined;

  function body(): ReactNode {
    if (comparison) return <CompareView comparison={comparison} />;
    if (face === "history") return <DocumentHistory />;
    if (doc?.redacted_version !== undefined) return <RemovedVersion doc={doc} />;
    if (!isReadable(doc)) return problem ? null : <DocumentSkeleton />;
    if (canEdit && edit === "1") {
      return (
        <div className="h-full p-3">
          <DocumentEditor doc={doc} onClose={() => setQuery({ edit: null }, { replace: true })} />
        </div>
      );
    }
    return (
      <div className="flex justify-center gap-10 px-4 py-3">
        <div className="min-w-0 flex-1 @min-[64rem]:max-w-[76ch]">
          {doc.content === "" ? (
            <DocumentEmpty version={doc.version} canEdit={canEdit} />
          ) : (
            <DocumentReader
              // Another moment is another document to read; versions of the present one follow each other in place.
              key={isLive ? "live" : `${doc.version}`}
              doc={doc}
              isLive={isLive}
              canEdit={canEdit}
              scroller={scroller}
            />
          )}
        </div>
        <OutlineAside content={doc.content} scroller={scroller} />
      </div>
    );
  }

  return (
    <section aria-label="Document" className="@container flex h-full min-h-0 min-w-0 flex-col">
      <DocumentHeader doc={doc} scroller={scroller} canEdit={canEdit} />
      {problem && (
        <ProblemAlert
          className="m-3"
          title="The document could not be read."
          problem={problem}
          stillWorks={doc ? "What is shown is from before." : undefined}
          onRetry={refresh}
        />
      )}
      {comparison === null && face !== "history" && doc && (
        <DocumentBanner doc={doc} version={version} at={at} />
      )}
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]">
        <Suspense fallback={<DocumentSkeleton />}>{body()}</Suspense>
      </div>
      {canEdit && face === "note" && (
        <Suspense>
          <AppendNote onClose={() => setQuery({ doc: null }, { replace: true })} />
        </Suspense>
      )}
    </section>
  );
}

function isReadable(doc: DocumentRead | undefined): doc is DocumentRead & { content: string } {
  return doc?.content !== undefined;
}
