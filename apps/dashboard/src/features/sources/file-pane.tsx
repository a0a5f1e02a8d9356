"use client";

import { type ReactNode, type RefObject, useMemo, useRef } from "react";
import type { ReadResult } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { useQueryParam } from "@/core/address/use-query-param";
import { AnnotatedText } from "@/document/annotated-text";
import { DocumentSections } from "@/document/document-sections";
import { DocumentSkeleton } from "@/document/document-skeleton";
import { KeepPlace } from "@/document/keep-place";
import { codePart, type TextLayout } from "@/document/part-starts";
import { PlainDocument, PlainLines } from "@/document/plain-document";
import { ProposalReview, SourcePane } from "@/document/source-pane";
import { useProposalParam } from "@/document/use-version-param";
import { SourceJobs } from "@/features/jobs/api";
import { OpenTopics } from "@/features/topics/api";
import { Parts } from "@/parts/features-context";
import { useSource } from "@/sessions/source-context";
import { CodeBlock } from "@/text/markdown/code-block";
import { showHidden } from "@/text/markdown/hidden-characters";
import { extractLinkDefinitions, splitSections } from "@/text/split-sections";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { FileHeader } from "./file-header";
import { chooseFileLayout, findExtension, isMarkdown } from "./file-layout";
import type { FileRead } from "./use-file";

export interface FilePaneProps {
  readonly path: string;
  readonly file: ReadResult<FileRead>;
}

/** A file with its comments and proposals. The URL selects what is shown. */
export function FilePane({ path, file: { data, problem, refresh } }: FilePaneProps) {
  const { isObserver } = useSource();
  const proposal = useProposalParam();
  const [jobs] = useQueryParam("jobs");
  const [perspective] = useQueryParam("perspective");
  const scroller = useRef<HTMLDivElement>(null);
  const isReading = proposal === null && jobs === null;

  function renderBody(): ReactNode {
    if (proposal !== null) return <ProposalReview proposalId={proposal} />;
    if (jobs !== null) return <FileJobs />;
    if (!data) return problem ? <GoneFile /> : <DocumentSkeleton />;
    const layout = chooseFileLayout(path, data.text);
    return (
      <AnnotatedText
        text={{ revision: data.source_sha, content: data.text, layout }}
        scroller={scroller}
        isLive
        canComment={!isObserver}
      >
        <FileText path={path} file={data} layout={layout} scroller={scroller} />
      </AnnotatedText>
    );
  }

  return (
    <SourcePane
      label="File"
      scroller={scroller}
      persona={isReading && !isObserver && data ? perspective : null}
      head={
        <>
          <FileHeader path={path} file={data} scroller={scroller} isRead={isReading} />
          {problem && (
            <ProblemAlert
              className="m-3"
              title="Couldn't load the file."
              problem={problem}
              isStale={data !== undefined}
              onRetry={refresh}
            />
          )}
          {data?.committed === false && (
            <p role="note" className="border-b bg-highlight px-4 py-1.5 text-sm">
              This file has uncommitted changes, which are never overwritten. Commit or revert them to accept
              proposals.
            </p>
          )}
          {isReading && <Parts select={({ text }) => text?.Above} />}
        </>
      }
    >
      {renderBody()}
    </SourcePane>
  );
}

/** The jobs on a file, and their state. */
function FileJobs() {
  return (
    <section aria-label="Jobs" className="grid max-w-4xl gap-3 p-4 lg:p-6">
      <SourceJobs
        none={
          <Empty className="rounded-lg border">
            <EmptyTitle>No jobs yet</EmptyTitle>
            <EmptyDescription>
              Have an agent work on a comment, or review the file from a persona's perspective.
            </EmptyDescription>
          </Empty>
        }
      />
    </section>
  );
}

/** The comments on a file that can no longer be read. */
function GoneFile() {
  return <OpenTopics />;
}

interface FileTextProps {
  readonly path: string;
  readonly file: FileRead;
  readonly layout: TextLayout;
  readonly scroller: RefObject<HTMLElement | null>;
}

/** The text of a file. New text replaces the old text without moving the scroll position. */
function FileText({ path, file: { text, source_sha }, layout, scroller }: FileTextProps) {
  if (text.trim() === "") return <p className="text-muted-foreground">The file is empty.</p>;
  return (
    <KeepPlace scroller={scroller} version={source_sha}>
      {layout === "sections" && <Sections text={text} />}
      {layout === "code" && <Code text={text} language={findExtension(path)} />}
      {layout === "lines" &&
        (isMarkdown(path) ? <PlainDocument content={text} /> : <PlainLines content={text} />)}
    </KeepPlace>
  );
}

const noKeys: ReadonlySet<string> = new Set();

function Sections({ text }: { readonly text: string }) {
  const sections = useMemo(() => splitSections(text), [text]);
  const definitions = useMemo(() => extractLinkDefinitions(text), [text]);
  return <DocumentSections sections={sections} definitions={definitions} pointedOut={noKeys} editor={null} />;
}

function Code({ text, language }: { readonly text: string; readonly language: string }) {
  const visibleText = showHidden(text);
  return (
    <div data-part={codePart}>
      {/* If a hidden character is shown as its code point, offsets inside the text no longer match the source. */}
      <CodeBlock
        code={visibleText}
        language={language}
        at={0}
        {...(visibleText !== text && { to: text.length })}
      />
    </div>
  );
}
