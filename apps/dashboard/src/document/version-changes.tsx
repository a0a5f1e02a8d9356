import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useRead } from "@/broker/use-read";
import { useSession } from "@/sessions/session-context";
import { listTouchedSections, parseUnifiedDiff } from "@/text/diff/unified-diff";

/** The number of added and removed lines of a version, and the sections they are in. Loaded once it is near the view. */
export function VersionChanges({ version }: { version: number }) {
  const { session } = useSession();
  const { ref, wasInView } = useInView<HTMLParagraphElement>();
  const { data, status } = useRead(
    "read_session_doc",
    wasInView ? { session_id: session.session_id, since_version: version - 1, version } : null,
  );
  const diff = useMemo(() => (data ? parseUnifiedDiff(data.diff ?? "") : null), [data]);
  if (data?.redacted_version !== undefined) {
    return (
      <p ref={ref} className="min-h-5 text-sm text-muted-foreground">
        Changes unknown: the text of v{data.redacted_version} was removed.
      </p>
    );
  }
  if (!diff) {
    return (
      <p ref={ref} className="min-h-5 text-sm text-muted-foreground">
        {status === "failed" ? "Couldn't load changes." : "…"}
      </p>
    );
  }
  const sections = listTouchedSections(diff);
  return (
    <p ref={ref} className="min-h-5 text-sm break-words text-muted-foreground">
      <DiffCounts added={diff.added} removed={diff.removed} />
      {sections.length > 0 && <bdi> {sections.slice(0, 3).join(", ")}</bdi>}
      {sections.length > 3 && ` and ${sections.length - 3} more`}
    </p>
  );
}

export function DiffCounts({ added, removed }: { added: number; removed: number }) {
  if (added + removed === 0) return <span>no text changes</span>;
  return (
    <span className="font-mono text-xs tabular-nums">
      <span className="text-success">+{added}</span> <span className="text-danger">−{removed}</span>
      <span className="sr-only"> lines added and removed</span>
    </span>
  );
}

/** Returns whether an element has been in view, or within 200 px of it. */
function useInView<T extends Element>(): { ref: RefObject<T | null>; wasInView: boolean } {
  const ref = useRef<T>(null);
  const [wasInView, setInView] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element || wasInView) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setInView(true);
      },
      { rootMargin: "200px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [wasInView]);
  return { ref, wasInView };
}
