"use client";

import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { RefusalNote } from "@/components/refusal-note";
import { useSession } from "@/sessions/session-context";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Skeleton } from "@/ui/skeleton";

/** The conclusion of a closed session, above its feed. */
export function ConclusionCard() {
  return (
    <section
      aria-labelledby="conclusion"
      className="max-h-[45%] shrink-0 overflow-y-auto border-b bg-surface px-4 py-3 lg:px-6"
    >
      <div className="mb-1 flex items-baseline justify-between gap-3">
        <h2 id="conclusion" className="text-sm font-semibold tracking-wide text-muted-foreground uppercase">
          Conclusion
        </h2>
        <LastPageLink />
      </div>
      <PanelBoundary title="Conclusion">
        <Conclusion />
      </PanelBoundary>
    </section>
  );
}

/** A link to the summary page, which is meant for sharing. */
function LastPageLink() {
  const { session } = useSession();
  return (
    <PageLink
      href={`/sessions/${session.slug}/conclusion`}
      className="inline-flex min-h-6 items-center text-sm text-link hover:underline pointer-coarse:min-h-11"
    >
      View summary
    </PageLink>
  );
}

function Conclusion() {
  const { session } = useSession();
  const { data, problem } = useConclusion(session.session_id);
  if (data !== undefined) return <MarkdownText text={data} variant="document" className="max-w-[72ch]" />;
  if (problem !== undefined) return <RefusalNote refusal={problem} />;
  return <Skeleton className="h-16 max-w-[72ch]" />;
}

/** Returns the text of the document's section "Conclusion", without its heading. */
export function useConclusion(sessionId: string | null) {
  const read = useRead(
    "read_session_doc",
    sessionId === null ? null : { session_id: sessionId, section: "Conclusion" },
    { on: ["document"] },
  );
  const data = read.data === undefined ? undefined : removeHeading(read.data.content ?? "");
  return { data, problem: read.problem };
}

function removeHeading(section: string): string {
  return section.replace(/^## +Conclusion *\n+|^Conclusion *\n-+ *\n+/i, "");
}
