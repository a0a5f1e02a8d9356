"use client";

import type { BriefLine, OutputOf } from "@merkle/wire";
import { shortenAddress } from "@merkle/wire/text";
import type { KeyboardEvent, MouseEvent } from "react";
import type { ReadResult } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { cn } from "@/core/utils";
import { showHidden } from "@/text/markdown/hidden-characters";
import { toPlainBrief } from "@/text/markdown/plain-brief";
import { Kbd } from "@/ui/kbd";

interface Group {
  readonly title: string;
  readonly kinds: readonly BriefLine["kind"][];
  /** The group's symbol. It is the same as in the timeline, if the timeline has one. */
  readonly sign: string;
  readonly className: string;
}

/** The groups of changes: asks, decisions, failures, other changes, and activity. */
const groups: readonly Group[] = [
  {
    title: "Asked",
    kinds: ["ask", "review", "answer", "own_ask", "own_review", "own_proposal", "own_approval"],
    sign: "◆",
    className: "text-warning",
  },
  { title: "Decided", kinds: ["concluded", "decision"], sign: "■", className: "text-success" },
  { title: "Failed", kinds: ["failed"], sign: "✕", className: "text-danger" },
  {
    title: "Changed",
    kinds: ["held", "topic", "task", "document", "state", "settings"],
    sign: "▲",
    className: "text-info",
  },
  { title: "Activity", kinds: ["people", "talk"], sign: "·", className: "text-muted-foreground" },
];

export interface BriefLinesProps {
  readonly slug: string;
  /** The lines in display order. */
  readonly lines: readonly BriefLine[];
  readonly omittedCount: number;
  /** Whether this is the session's own page. Links to a message or version then stay on the page. */
  readonly isCurrentSession?: boolean;
}

/** The lines of a session's brief in groups. Each line links to its message, document or task. */
export function BriefLines({ slug, lines, omittedCount, isCurrentSession = false }: BriefLinesProps) {
  return (
    <div className="grid gap-3">
      {groups.map(({ title, kinds, sign, className }) => {
        const groupLines = lines.filter(({ kind }) => kinds.includes(kind));
        if (groupLines.length === 0) return null;
        return (
          <section key={title} aria-label={title}>
            <h3 className="flex items-center gap-2 px-2 text-sm font-medium text-muted-foreground">
              <span aria-hidden className={cn("w-3 text-center", className)}>
                {sign}
              </span>
              {title}
              <span className="tabular-nums">{groupLines.length}</span>
            </h3>
            <ul className="mt-0.5 grid">
              {groupLines.map((line) => (
                <Line
                  key={[
                    line.kind,
                    line.sequence,
                    line.version,
                    line.job,
                    line.task,
                    line.proposal,
                    line.text,
                  ].join(" ")}
                  slug={slug}
                  line={line}
                  isHere={isCurrentSession}
                />
              ))}
            </ul>
          </section>
        );
      })}
      {omittedCount > 0 && (
        <p className="px-2 text-sm text-muted-foreground">
          {omittedCount} more in the feed, state and document.
        </p>
      )}
    </div>
  );
}

/** Moves the focus from line to line, across sessions. Enter follows the focused link. */
export function walkLines(event: KeyboardEvent<HTMLElement>): void {
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-brief-line]")];
  const index = links.indexOf(document.activeElement as HTMLElement);
  const next = index < 0 ? links[0] : links[index + step];
  event.preventDefault();
  event.stopPropagation();
  next?.focus();
}

/** Focuses the first line, if there is one. */
export function focusFirstLine(box: HTMLElement | null): void {
  box?.querySelector<HTMLElement>("[data-brief-line]")?.focus({ preventScroll: true });
}

function Line({ slug, line, isHere }: { slug: string; line: BriefLine; isHere: boolean }) {
  const { label, path, query } = toLineLink(line);
  const search = new URLSearchParams(query).toString();

  function keepOnPage(event: MouseEvent): void {
    if (!isHere || path !== "" || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    setQuery(query);
  }

  return (
    <li>
      <PageLink
        data-brief-line
        href={`/sessions/${slug}${path}${search && `?${search}`}`}
        onClick={keepOnPage}
        className="flex min-h-7 min-w-0 items-baseline gap-3 rounded-md px-2 py-1 -outline-offset-2 hover:bg-raised focus-visible:bg-raised pointer-coarse:min-h-11"
      >
        <span className="w-14 shrink-0 truncate text-end text-sm text-link tabular-nums max-md:w-11">
          {label}
        </span>
        <span dir="auto" className="line-clamp-3 min-w-0 flex-1 whitespace-pre-line [overflow-wrap:anywhere]">
          {line.by !== null && (
            <>
              <bdi className="font-medium">{showHidden(shortenAddress(line.by))}</bdi>
              {line.text !== "" && ": "}
            </>
          )}
          {showHidden(toText(line))}
        </span>
        <TimeText at={line.at} className="shrink-0 text-sm text-muted-foreground tabular-nums" />
      </PageLink>
    </li>
  );
}

const requestLabels: Partial<Record<BriefLine["kind"], string>> = {
  review: "waits for your review: ",
  own_review: "in review ",
  own_proposal: "waits for a decision: ",
};

/** For a document change, returns only the changed lines, without hunk headers. For a question, says whether it is unanswered. */
function toText({ kind, unanswered, text }: BriefLine): string {
  if (kind === "document") return text.replace(/^@@.*(?:\n|$)/gm, "");
  const isUnanswered = unanswered && (kind === "ask" || kind === "own_ask");
  return `${requestLabels[kind] ?? ""}${toPlainBrief(text)}${isUnanswered ? " (unanswered)" : ""}`;
}

interface LineLink {
  readonly label: string;
  /** Path relative to the session's page. */
  readonly path: string;
  readonly query: Record<string, string>;
}

function toLineLink({ task, job, proposal, version, sequence }: BriefLine): LineLink {
  if (task !== undefined) return { label: `task ${task}`, path: "/tasks", query: { task: String(task) } };
  if (job !== undefined) return { label: `job ${job}`, path: "/jobs", query: {} };
  if (proposal !== undefined)
    return { label: "proposal", path: "/doc", query: { proposal: String(proposal) } };
  if (version !== null) return { label: `v${version}`, path: "", query: { v: String(version), pane: "doc" } };
  if (sequence !== null) return { label: `#${sequence}`, path: "", query: { m: String(sequence) } };
  return { label: "state", path: "/state", query: {} };
}

/** A summary by a model, if the broker's summariser returned one. Shows no loading state. */
export function BriefSummary({ read }: { readonly read: ReadResult<OutputOf<"brief">> }) {
  const summary = read.data?.summary;
  if (!summary) return null;
  return (
    <aside aria-label="Summary by a model" className="rounded-lg border bg-surface px-3 py-2">
      <p className="text-sm font-medium text-muted-foreground">Summary by a model, may be wrong</p>
      <p dir="auto" className="[overflow-wrap:anywhere]">
        {showHidden(summary)}
      </p>
    </aside>
  );
}

/** The keys that move through the changes, shown only on devices with a keyboard. */
export function BriefKeys() {
  return (
    <span aria-hidden className="ms-auto inline-flex items-center gap-1 align-middle pointer-coarse:hidden">
      <Kbd>J</Kbd>
      <Kbd>K</Kbd> <Kbd>↵</Kbd>
    </span>
  );
}
