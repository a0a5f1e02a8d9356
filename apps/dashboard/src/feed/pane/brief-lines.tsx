"use client";

import type { BriefLine, OutputOf } from "@merkle/wire";
import type { MouseEvent } from "react";
import type { Read } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { showHidden } from "@/text/markdown/hidden-characters";

const titles: Readonly<Record<BriefLine["kind"], string>> = {
  ask: "Asks",
  answer: "Answers",
  concluded: "Conclusion",
  held: "Holds",
  decision: "Decisions",
  topic: "Comments and proposals",
  task: "Tasks",
  document: "Document",
  state: "State",
  settings: "Settings",
  people: "Who came and went",
  talk: "Said",
};

export interface BriefLinesProps {
  readonly slug: string;
  /** In the order in which they are told. */
  readonly lines: readonly BriefLine[];
  readonly leftOut: number;
  /** Whether the page is the session's own, which a link to a message or version does not leave. */
  readonly here?: boolean;
}

/** The lines of a session's brief by their kinds, each with a link to what it tells of. */
export function BriefLines({ slug, lines, leftOut, here = false }: BriefLinesProps) {
  const kinds = [...new Set(lines.map(({ kind }) => kind))];
  return (
    <div className="grid gap-3">
      {kinds.map((kind) => (
        <section key={kind} aria-label={titles[kind]}>
          <h3 className="text-sm font-medium text-muted-foreground">{titles[kind]}</h3>
          <ul className="mt-1 grid gap-1">
            {lines
              .filter((line) => line.kind === kind)
              .map((line) => (
                <Line
                  key={`${line.sequence} ${line.version} ${line.text}`}
                  slug={slug}
                  line={line}
                  here={here}
                />
              ))}
          </ul>
        </section>
      ))}
      {leftOut > 0 && (
        <p className="text-sm text-muted-foreground">
          {leftOut} more of these stand in the feed, the state and the document.
        </p>
      )}
    </div>
  );
}

function Line({ slug, line, here }: { slug: string; line: BriefLine; here: boolean }) {
  const { label, path, query } = placeOf(line);
  const search = new URLSearchParams(query).toString();

  function stay(event: MouseEvent): void {
    if (!here || path !== "" || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    setQuery(query);
  }

  return (
    <li className="flex min-w-0 items-baseline gap-2">
      <span className="w-14 shrink-0 text-end text-sm tabular-nums">
        <PageLink
          href={`/sessions/${slug}${path}${search && `?${search}`}`}
          className="rounded-sm text-link hover:underline"
          onClick={stay}
        >
          {label}
        </PageLink>
      </span>
      <span dir="auto" className="line-clamp-6 min-w-0 flex-1 whitespace-pre-line [overflow-wrap:anywhere]">
        {line.by !== null && (
          <>
            <bdi className="font-medium">{showHidden(line.by)}</bdi>
            {line.text !== "" && ": "}
          </>
        )}
        {showHidden(line.text)}
      </span>
      <TimeText at={line.at} as="clock" className="shrink-0 text-sm text-muted-foreground tabular-nums" />
    </li>
  );
}

interface LinePlace {
  readonly label: string;
  /** Below the session's. */
  readonly path: string;
  readonly query: Record<string, string>;
}

function placeOf({ task, version, sequence }: BriefLine): LinePlace {
  if (task !== undefined) return { label: `task ${task}`, path: "/tasks", query: { task: String(task) } };
  if (version !== null) return { label: `v${version}`, path: "", query: { v: String(version), pane: "doc" } };
  if (sequence !== null) return { label: `#${sequence}`, path: "", query: { m: String(sequence) } };
  return { label: "state", path: "/state", query: {} };
}

/** A model's words beside the lines, where the broker's summariser has any; nothing else says that it is on its way. */
export function BriefSummary({ read }: { readonly read: Read<OutputOf<"brief">> }) {
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
