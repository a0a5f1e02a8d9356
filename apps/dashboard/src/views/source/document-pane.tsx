"use client";

import { type ReactNode, Suspense, useRef } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";
import { DocumentSkeleton } from "@/document/document-skeleton";
import { layoutOfMarkdown } from "@/document/part-starts";
import { RemovedVersion } from "@/document/removed-version";
import { type DocumentRead, useDocument } from "@/document/use-document";
import { useCompareParam, useProposalParam, useVersionParam } from "@/document/use-version-param";
import { useReplayed } from "@/feed/pane/replay-context";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { AnnotatedText } from "@/views/source/annotated-text";
import { SourcePane } from "@/views/source/source-pane";
import { usePerspectiveParam } from "@/work/perspectives/use-perspective-param";
import { DocumentBanner } from "./document-banner";
import { DocumentHeader } from "./document-header";
import { DocumentReader } from "./document-reader";
import {
  AppendNote,
  CompareView,
  DocumentEditor,
  DocumentHistory,
  OpenProposals,
  ProposalReview,
} from "./lazy-faces";

/** The session's document: read, written, compared with what it was. What of it is shown stands in the address. */
export function DocumentPane() {
  return (
    <PanelBoundary title="Document">
      <Suspense fallback={<DocumentSkeleton />}>
        <DocumentFaces />
      </Suspense>
    </PanelBoundary>
  );
}

function DocumentFaces() {
  const { session, at: asOf, looksOn } = useSession();
  const at = useReplayed((replay) => replay.of(asOf)?.documentAt ?? asOf);
  const version = useVersionParam();
  const comparison = useCompareParam();
  const proposal = useProposalParam();
  const [face] = useQueryParam("doc");
  const [edit] = useQueryParam("edit");
  const scroller = useRef<HTMLDivElement>(null);
  const { data: doc, problem, refresh } = useDocument({ version, at });
  const isLive = version === null && at === null;
  const isOpen = session.status === "active" && !looksOn;
  const isRead = comparison === null && proposal === null && face !== "history";
  const canEdit = isLive && isOpen && doc !== undefined;
  const perspective = usePerspectiveParam();
  const persona = isRead && isLive && !looksOn && edit === null && doc ? perspective : null;

  function body(): ReactNode {
    if (comparison) return <CompareView comparison={comparison} />;
    if (proposal !== null) return <ProposalReview key={proposal} proposalId={proposal} />;
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
      <AnnotatedText
        text={{ revision: doc.version, content: doc.content, layout: layoutOfMarkdown(doc.content) }}
        scroller={scroller}
        isLive={isLive}
        canComment={isOpen}
      >
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
      </AnnotatedText>
    );
  }

  return (
    <SourcePane
      label="Document"
      scroller={scroller}
      persona={persona}
      head={
        <>
          <DocumentHeader doc={doc} scroller={scroller} isLive={isLive} canEdit={canEdit} />
          {problem && (
            <ProblemAlert
              className="m-3"
              title="Couldn't load the document."
              problem={problem}
              isStale={doc !== undefined}
              onRetry={refresh}
            />
          )}
          {isRead && doc && <DocumentBanner doc={doc} version={version} at={at} />}
          {isRead && isLive && (
            <Suspense>
              <OpenProposals />
            </Suspense>
          )}
        </>
      }
      foot={
        canEdit &&
        face === "note" && (
          <Suspense>
            <AppendNote onClose={() => setQuery({ doc: null }, { replace: true })} />
          </Suspense>
        )
      }
    >
      {body()}
    </SourcePane>
  );
}

function isReadable(doc: DocumentRead | undefined): doc is DocumentRead & { content: string } {
  return doc?.content !== undefined;
}

/** A document in which nothing stands, and what to do about it. */
function DocumentEmpty({ version, canEdit }: { version: number; canEdit: boolean }) {
  return (
    <Empty>
      <EmptyTitle>{version === 0 ? "No document yet" : "The document is empty"}</EmptyTitle>
      <EmptyDescription>
        {canEdit ? "Agents and people write it together." : "This version is empty."}
      </EmptyDescription>
      {canEdit && (
        <Button variant="outline" onClick={() => setQuery({ edit: "1" })}>
          Write first version
        </Button>
      )}
    </Empty>
  );
}
