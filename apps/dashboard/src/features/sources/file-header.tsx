"use client";

import { BookText, Bot } from "lucide-react";
import type { RefObject } from "react";
import { TimeText } from "@/components/time-text";
import { ToolButton } from "@/components/tool-button";
import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";
import { OutlineButton } from "@/document/outline-places";
import { RunningJobs } from "@/features/jobs/api";
import { Parts } from "@/parts/features-context";
import { describeRevision } from "@/sessions/source";
import { CopyButton } from "@/ui/copy-button";
import { chooseFileLayout } from "./file-layout";
import { type FileRead, useLastCommit } from "./use-file";

export interface FileHeaderProps {
  readonly path: string;
  readonly file: FileRead | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
  /** Whether the text is shown, instead of a proposal or the jobs. */
  readonly isRead: boolean;
}

/** The header of a file: the commit of its text, and the toolbar. */
export function FileHeader({ path, file, scroller, isRead }: FileHeaderProps) {
  return (
    <header className="relative flex min-h-10 flex-wrap items-center gap-x-1 gap-y-1 border-b px-3 py-1 md:gap-x-2">
      <h2 className="flex min-w-0 flex-1 basis-40 items-baseline gap-x-2 truncate font-semibold">
        File
        <span className="truncate text-sm font-normal text-muted-foreground tabular-nums">
          {file && <Committed file={file} />}
        </span>
      </h2>
      <div
        role="toolbar"
        aria-label="File"
        className="ms-auto flex flex-wrap items-center justify-end md:gap-0.5"
      >
        {isRead && file && chooseFileLayout(path, file.text) === "sections" && (
          <OutlineButton content={file.text} scroller={scroller} />
        )}
        {isRead && file && <Parts select={({ text }) => text?.Tool} />}
        <JobsButton />
        {isRead && file && file.text !== "" && <CopyButton text={file.text} contentName="file" isCompact />}
      </div>
    </header>
  );
}

function Committed({ file }: { readonly file: FileRead }) {
  const commit = useLastCommit(file);
  if (!file.committed) return <>{describeRevision(file.source_sha)}, not committed</>;
  if (!commit) return <>{describeRevision(file.source_sha)}</>;
  return (
    <span title={`${commit.commit}\n${commit.subject}`}>
      commit {describeRevision(commit.commit)} · <bdi>{commit.by}</bdi> <TimeText at={commit.at} /> ·{" "}
      <bdi>{commit.subject}</bdi>
    </span>
  );
}

/** Toggles between the file's text and its jobs. */
function JobsButton() {
  const [jobs] = useQueryParam("jobs");
  const [proposal] = useQueryParam("proposal");
  const isShown = jobs !== null && proposal === null;
  return (
    <ToolButton
      icon={isShown ? <BookText aria-hidden /> : <Bot aria-hidden />}
      label={isShown ? "Text" : "Jobs"}
      note={!isShown && <RunningJobs />}
      onClick={() => setQuery({ jobs: isShown ? null : "1", proposal: null, topic: null })}
    />
  );
}
