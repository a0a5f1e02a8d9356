"use client";

import { type OutputOf, toFileHref } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { useId, useState } from "react";
import { useRead } from "@/broker/use-read";
import { ListPage } from "@/components/list-page";
import { PageLink } from "@/components/page-link";
import { ProblemAlert } from "@/components/problem-alert";
import { Snippet } from "@/components/snippet";
import { setQuery } from "@/core/address/address";
import { useTypedParam } from "@/core/address/use-typed-param";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Input } from "@/ui/input";
import { Skeleton } from "@/ui/skeleton";

type SourceListing = OutputOf<"list_sources">;
type ListedFile = SourceListing["files"][number];

/** The number of files shown initially. */
const initialFilesMax = 200;

/** Every root with its files and their open comments and proposals. */
export function SourceList() {
  return (
    <ListPage title="Files" className="grid gap-4">
      <Files />
    </ListPage>
  );
}

function Files() {
  const [query, text, setText] = useTypedParam("q");
  const [limit, setLimit] = useState<number>(initialFilesMax);
  const { data, problem, refresh } = useRead(
    "list_sources",
    { limit, ...(query.trim() !== "" && { query }) },
    { on: ["topics", "proposals", "jobs"], keepLast: true },
  );
  const fieldId = useId();
  if (data?.roots.length === 0) return <NoRoots />;
  return (
    <>
      <p className="max-w-prose text-muted-foreground">
        Files in this broker’s Git repositories. Comment on a file and have an agent apply the comment.
        Changes you accept are committed.
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <label htmlFor={fieldId} className="sr-only">
          Filter files by path
        </label>
        <Input
          id={fieldId}
          type="search"
          className="w-72 max-w-full"
          placeholder="Part of a path…"
          value={text}
          maxLength={limits.queryCharsMax}
          onChange={(event) => setText(event.target.value)}
        />
        {data && (
          <p role="status" className="text-sm text-muted-foreground tabular-nums">
            {describeCount(data)}
          </p>
        )}
      </div>
      {problem && (
        <ProblemAlert
          title="Couldn't load files."
          problem={problem}
          isStale={data !== undefined}
          onRetry={refresh}
        />
      )}
      {data && !data.can_commit && (
        <p role="note" className="rounded-lg border border-warning/40 bg-highlight px-3 py-2 text-sm">
          You can’t accept changes yet: configure <code className="font-mono">agent.author_name</code> and{" "}
          <code className="font-mono">agent.author_email</code>, the author of the commits.
        </p>
      )}
      {data === undefined && problem === undefined && <Skeleton className="h-64" />}
      {data?.roots.map((root) => (
        <Root key={root.root} {...root} files={data.files} isNarrowed={query !== ""} />
      ))}
      {data?.files.length === 0 && query !== "" && (
        <Empty>
          <EmptyTitle>No files with “{query}” in the path</EmptyTitle>
          <Button variant="outline" onClick={() => setQuery({ q: null })}>
            Show all files
          </Button>
        </Empty>
      )}
      {data?.has_more &&
        (limit < limits.sourcesListedMax ? (
          <Button
            variant="outline"
            className="justify-self-start"
            onClick={() => setLimit(limits.sourcesListedMax)}
          >
            Show more
          </Button>
        ) : (
          <p className="text-muted-foreground">There are more. Filter by path to find them.</p>
        ))}
    </>
  );
}

function describeCount({ files, has_more }: SourceListing): string {
  const count = `${files.length.toLocaleString("en-GB")} ${files.length === 1 ? "file" : "files"}`;
  return has_more ? `First ${count}` : count;
}

interface RootProps {
  readonly root: string;
  readonly problem: string | null;
  /** The files of all roots. */
  readonly files: readonly ListedFile[];
  readonly isNarrowed: boolean;
}

function Root({ root, problem, files, isNarrowed }: RootProps) {
  const titleId = useId();
  const rootFiles = files.filter(({ source_path }) => source_path.startsWith(`${root}/`));
  if (rootFiles.length === 0 && problem === null && isNarrowed) return null;
  return (
    <section aria-labelledby={titleId} className="grid gap-1.5">
      <h2 id={titleId} className="font-semibold">
        {root}
      </h2>
      {problem !== null && <p className="text-danger [overflow-wrap:anywhere]">{problem}</p>}
      {rootFiles.length === 0 && problem === null && (
        <p className="text-sm text-muted-foreground">No text files of this root in the list.</p>
      )}
      {rootFiles.length > 0 && (
        <ul className="divide-y rounded-lg border">
          {rootFiles.map((file) => (
            <FileRow key={file.source_path} file={file} root={root} />
          ))}
        </ul>
      )}
    </section>
  );
}

function FileRow({ file, root }: { readonly file: ListedFile; readonly root: string }) {
  const { source_path, open_topics, open_proposals, jobs_in_flight } = file;
  return (
    <li className="flex flex-wrap items-center gap-x-2 px-3 [contain-intrinsic-size:auto_2.25rem] [content-visibility:auto]">
      <PageLink
        href={toFileHref({ file: source_path })}
        className="flex min-h-9 min-w-0 flex-1 basis-48 items-center rounded-md text-link underline-offset-4 hover:underline pointer-coarse:min-h-11"
      >
        <span dir="auto" className="[overflow-wrap:anywhere]">
          {showHidden(source_path.slice(root.length + 1))}
        </span>
      </PageLink>
      <p className="flex flex-wrap gap-2 py-1.5 empty:hidden">
        {open_topics > 0 && <Badge variant="outline">{formatCount(open_topics, "comment")}</Badge>}
        {open_proposals > 0 && <Badge variant="warning">{formatCount(open_proposals, "proposal")}</Badge>}
        {jobs_in_flight > 0 && <Badge variant="outline">agent at work</Badge>}
      </p>
    </li>
  );
}

function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

const config = `{
  "agent": {
    "author_name": "Merkle Agent",
    "author_email": "agent@example.com",
    "roots": { "docs": "/srv/handbook" }
  }
}`;

/** Explains how to add files. */
function NoRoots() {
  return (
    <Empty className="rounded-lg border">
      <EmptyTitle>No files to work on</EmptyTitle>
      <EmptyDescription>
        Agents can work on files of a Git repository as they do on a session’s document. In{" "}
        <code className="font-mono text-sm">config.json</code> of the broker’s home, list the top folders of
        repositories in <code className="font-mono text-sm">agent.roots</code>, and set the commits’ author
        with <code className="font-mono text-sm">author_name</code> and{" "}
        <code className="font-mono text-sm">author_email</code>. Then restart{" "}
        <code className="font-mono text-sm">merkle up</code>. Only the main mesh has files.
      </EmptyDescription>
      <div className="w-full max-w-xl text-start">
        <Snippet label="config.json" text={config} />
      </div>
    </Empty>
  );
}
