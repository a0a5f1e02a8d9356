import { useMemo, useState } from "react";
import { changedSections, type DocumentSection, splitSections } from "@/lib/document/split-sections";

export interface DocumentNews {
  /** The version that was looked at before. */
  readonly since: number;
  readonly changed: ReadonlySet<string>;
}

interface Seen {
  readonly version: number;
  readonly sections: readonly DocumentSection[];
}

const nothingChanged: ReadonlySet<string> = new Set();

/**
 * What of the document changed since it was last acknowledged; the first version that is shown counts as looked at. Whoever
 * wrote the newest version themselves has nothing to be told.
 */
export function useSeenDocument(
  doc: { readonly version: number; readonly content: string },
  isMine: boolean,
): { sections: readonly DocumentSection[]; news: DocumentNews | null; acknowledge: () => void } {
  const sections = useMemo(() => splitSections(doc.content), [doc.content]);
  const [seen, setSeen] = useState<Seen>({ version: doc.version, sections });
  if (isMine && seen.version !== doc.version) setSeen({ version: doc.version, sections });
  const news = useMemo<DocumentNews | null>(() => {
    if (seen.version >= doc.version) return null;
    const changed = changedSections(seen.sections, sections);
    return { since: seen.version, changed: changed.size > 0 ? changed : nothingChanged };
  }, [seen, doc.version, sections]);
  return { sections, news, acknowledge: () => setSeen({ version: doc.version, sections }) };
}
