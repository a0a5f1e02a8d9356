"use client";

import type { ListedProgressEntry } from "@merkle/wire";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { lazyPart } from "@/core/lazy-part";
import { cn } from "@/core/utils";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { toPlainBrief } from "@/text/markdown/plain-brief";
import { MarkedText } from "@/text/marked-text";
import { CopyButton } from "@/ui/copy-button";

const EntryText = lazyPart(() => import("./entry-text"), "EntryText");

/** On touch screens the tap target is larger than the visible element. */
const reach =
  "relative pointer-coarse:after:absolute pointer-coarse:after:-inset-x-1 pointer-coarse:after:-inset-y-2.5";

export interface ProgressRowProps {
  readonly entry: ListedProgressEntry;
  readonly isOpen: boolean;
  readonly showsProject: boolean;
  readonly showsSession: boolean;
  /** The tags that the list is filtered by. */
  readonly chosenTags: readonly string[];
}

/** An entry: its summary, author, session and time. An expanded entry shows its full text and is named in the URL. */
export function ProgressRow({ entry, isOpen, showsProject, showsSession, chosenTags }: ProgressRowProps) {
  const { id, title, projectId, session, loggedBy, agentId, createdAt, tags } = entry;
  const row = useRef<HTMLLIElement>(null);
  // Scrolls to an entry that a link names.
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return (
    <li ref={row} aria-labelledby={`${id}-title`} className="min-w-0 scroll-my-4 px-3 py-row">
      <div className="flex min-w-0 items-start gap-1">
        <h2 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setQuery({ p: isOpen ? null : id }, { replace: true })}
            className={`flex min-h-6 max-w-full items-start gap-1.5 rounded-md text-left font-medium hover:text-link ${reach}`}
          >
            <ChevronRight
              aria-hidden
              className={cn("mt-0.5 size-4 shrink-0 text-muted-foreground", isOpen && "rotate-90")}
            />
            <span id={`${id}-title`} dir="auto" className="[overflow-wrap:anywhere]">
              {title}
            </span>
          </button>
        </h2>
        <span className="-my-1 flex pointer-coarse:-my-3">
          <CopyButton isCompact text={id} contentName={`ID ${id}`} />
        </span>
      </div>
      <div className="min-w-0 pl-5.5">
        {isOpen ? <EntryText projectId={projectId} id={id} /> : <Brief entry={entry} />}
        <p className="mt-1 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-sm [overflow-wrap:anywhere] text-muted-foreground">
          <bdi>{loggedBy}</bdi>
          {agentId !== null && agentId !== loggedBy && (
            <span>
              as <bdi>{agentId}</bdi>
            </span>
          )}
          {showsProject && (
            <>
              <span aria-hidden>·</span>
              <button
                type="button"
                title={`Only project ${projectId}`}
                onClick={() => setQuery({ project: projectId, before: null })}
                className={`min-h-6 min-w-0 max-w-full text-link underline-offset-4 hover:underline ${reach}`}
              >
                <bdi className="block truncate">{projectId}</bdi>
              </button>
            </>
          )}
          {showsSession && session !== null && (
            <>
              <span aria-hidden>·</span>
              <PageLink
                href={`/sessions/${session}?at=${createdAt}`}
                title="Open the session at this time"
                className={`inline-block max-w-full py-0.5 text-link underline-offset-4 hover:underline ${reach}`}
              >
                <span className="block truncate">{session}</span>
              </PageLink>
            </>
          )}
          <span aria-hidden>·</span>
          <TimeText at={createdAt} />
          {tags.map((tag) => (
            <Tag key={tag} tag={tag} chosen={chosenTags} />
          ))}
          {isOpen && <span className="font-mono text-xs">{id}</span>}
        </p>
      </div>
    </li>
  );
}

/** The matching excerpt of a search result. Otherwise the summary, or the beginning of the text if there is no summary. */
function Brief({ entry: { summary, opening, marked } }: { entry: ListedProgressEntry }) {
  if (marked?.includes("«")) {
    return (
      <p dir="auto" className="line-clamp-2 [overflow-wrap:anywhere] text-muted-foreground">
        <MarkedText text={toPlainBrief(marked)} />
      </p>
    );
  }
  // CSS cuts the summary after two lines, regardless of the blocks in it.
  return (
    <MarkdownText
      text={summary ?? opening}
      className="in-brief line-clamp-2 max-w-[96ch] [overflow-wrap:anywhere] text-muted-foreground"
    />
  );
}

function Tag({ tag, chosen }: { tag: string; chosen: readonly string[] }) {
  const isChosen = chosen.some((each) => isSame(each, tag));
  const next = isChosen ? chosen.filter((each) => !isSame(each, tag)) : [...chosen, tag];
  return (
    <button
      type="button"
      dir="auto"
      title={`Only entries with the tag ${tag}`}
      aria-pressed={isChosen}
      onClick={() => setQuery({ tag: next.join(","), before: null })}
      className={`min-h-6 max-w-full min-w-0 rounded-md border px-1.5 text-xs leading-5 font-medium hover:bg-raised aria-pressed:border-primary aria-pressed:text-link ${reach}`}
    >
      {tag}
    </button>
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
