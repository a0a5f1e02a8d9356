"use client";

import type { OutputOf } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { ReadPanel } from "@/components/read-panel";
import { showHidden } from "@/text/markdown/hidden-characters";

const listedSessionsMax = 10;

/** The sessions that use the most storage. The broker never deletes sessions. */
export function Storage() {
  const read = useRead(
    "list_sessions",
    { sort: "size", limit: listedSessionsMax },
    { on: ["sessions"], keepLast: true },
  );
  return (
    <ReadPanel read={read} failureTitle="Couldn't load storage.">
      {(data) => <Sizes data={data} />}
    </ReadPanel>
  );
}

function Sizes({ data: { sessions, counts } }: { readonly data: OutputOf<"list_sessions"> }) {
  const measuredSessions = sessions.filter(({ bytes }) => bytes > 0);
  const hiddenCount = counts.active + counts.closed - measuredSessions.length;
  if (measuredSessions.length === 0) {
    return <p className="text-muted-foreground">Storage is measured hourly. Check back soon.</p>;
  }
  return (
    <div className="grid gap-2">
      <ul className="grid">
        {measuredSessions.map(({ session_id, slug, title, bytes, last_sequence }) => (
          <li
            key={session_id}
            className="flex flex-wrap items-baseline justify-between gap-x-4 border-b py-1.5"
          >
            <PageLink
              href={`/sessions/${slug}`}
              className="min-w-0 flex-1 basis-56 rounded-sm text-link [overflow-wrap:anywhere] hover:underline"
            >
              <bdi>{showHidden(title)}</bdi>
            </PageLink>
            <span className="tabular-nums">
              {describeBytes(bytes)}, {last_sequence.toLocaleString("en-GB")}{" "}
              {last_sequence === 1 ? "message" : "messages"}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-sm text-muted-foreground">
        Messages and document versions, measured hourly.
        {hiddenCount > 0 && ` ${hiddenCount.toLocaleString("en-GB")} more: merkle ls --json.`} Tables and
        indexes: merkle gc --dry-run.
      </p>
    </div>
  );
}
