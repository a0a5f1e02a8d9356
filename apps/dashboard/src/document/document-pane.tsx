"use client";

import { type ReactNode, Suspense, useRef } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";
import { useReplayed } from "@/feed/pane/replay-context";
import { Parts } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { AnnotatedText } from "./annotated-text";
import { DocumentBanner } from "./document-banner";
import { DocumentHeader } from "./document-header";
import { DocumentReader } from "./document-reader";
import { DocumentSkeleton } from "./document-skeleton";
import { AppendNote, CompareView, DocumentEditor, DocumentHistory } from "./lazy-faces";
import { chooseMarkdownLayout } from "./part-starts";
import { RemovedVersion } from "./removed-version";
import { ProposalReview, SourcePane } from "./source-pane";
import { type DocumentRead, useDocument } from "./use-document";
import { useCompareParam, useProposalParam, useVersionParam } from "./use-version-param";

/** The session's document: its text, editor, history and comparisons. The URL selects what is shown. */
export function DocumentPane() {
  return (
    <PanelBoundary title="Document">
      <Suspense fallback={<DocumentSkeleton />}>
        <DocumentViews />
      </Suspense>
    </PanelBoundary>
  );
}

function DocumentViews() {
  const { session, at: asOf, isObserver } = useSession();
  const at = useReplayed((replay) => replay.findAt(asOf)?.documentAt ?? asOf);
  const version = useVersionParam();
  const comparison = useCompareParam();
  const proposal = useProposalParam();
  const [view] = useQueryParam("doc");
  const [edit] = useQueryParam("edit");
  const scroller = useRef<HTMLDivElement>(null);
  const { data: doc, problem, refresh } = useDocument({ version, at });
  const isLive = version === null && at === null;
  const isOpen = session.status === "active" && !isObserver;
  const isReading = comparison === null && proposal === null && view !== "history";
  const canEdit = isLive && isOpen && doc !== undefined;
  const [perspective] = useQueryParam("perspective");
  const persona = isReading && isLive && !isObserver && edit === null && doc ? perspective : null;

  function renderBody(): ReactNode {
    if (comparison) return <CompareView comparison={comparison} />;
    if (proposal !== null) return <ProposalReview proposalId={proposal} />;
    if (view === "history") return <DocumentHistory />;
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
        text={{ revision: doc.version, content: doc.content, layout: chooseMarkdownLayout(doc.content) }}
        scroller={scroller}
        isLive={isLive}
        canComment={isOpen}
      >
        {doc.content === "" ? (
          <DocumentEmpty version={doc.version} canEdit={canEdit} />
        ) : (
          <DocumentReader
            // Each past version has its own reader. New versions of the present document update the same reader in place.
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
          {isReading && doc && <DocumentBanner doc={doc} version={version} at={at} />}
          {isReading && isLive && <Parts select={({ text }) => text?.Above} />}
        </>
      }
      foot={
        canEdit &&
        view === "note" && <AppendNote onClose={() => setQuery({ doc: null }, { replace: true })} />
      }
    >
      {renderBody()}
    </SourcePane>
  );
}

function isReadable(doc: DocumentRead | undefined): doc is DocumentRead & { content: string } {
  return doc?.content !== undefined;
}

/** Shown if the document is empty. */
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
