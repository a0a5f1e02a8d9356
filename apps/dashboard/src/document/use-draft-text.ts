import { useEffect, useMemo, useRef, useState } from "react";
import { useSession } from "@/sessions/session-context";
import { type DocumentDraft, openDraftShelf } from "./document-draft";

/**
 * Pause after the last keystroke before the draft is stored, in milliseconds. It is also stored immediately when the page closes.
 */
const keepAfterMs = 300;

export type DraftStart = Pick<DocumentDraft, "baseVersion" | "text" | "section">;

export interface DraftText {
  readonly draft: DocumentDraft;
  readonly isChanged: boolean;
  /** False if the browser could not store the draft, which is then lost when the page closes. */
  readonly isKept: boolean;
  change(change: Partial<DraftStart>): void;
  /** Deletes the draft after it was saved or discarded. */
  discard(): void;
}

/** Returns the text being written and stores it in the browser as the user types. Starts with the stored draft, if any. */
export function useDraftText(start: DraftStart): DraftText {
  const { session } = useSession();
  const shelf = useMemo(
    () => openDraftShelf(session.session_id, globalThis.localStorage),
    [session.session_id],
  );
  const [initial] = useState(() => start);
  const [draft, setDraft] = useState<DocumentDraft>(
    () => shelf.read() ?? { ...start, changedAt: formatNow() },
  );
  const [isKept, setKept] = useState(true);
  const unkept = useRef<DocumentDraft>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the draft restarts the wait.
  useEffect(() => {
    const keep = () => {
      if (unkept.current) setKept(shelf.write(unkept.current));
      unkept.current = null;
    };
    const timer = setTimeout(keep, keepAfterMs);
    window.addEventListener("pagehide", keep);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pagehide", keep);
    };
  }, [shelf, draft]);
  useEffect(
    () => () => {
      if (unkept.current) shelf.write(unkept.current);
    },
    [shelf],
  );

  return {
    draft,
    isChanged: draft.text !== initial.text,
    isKept,
    change(change) {
      const next = { ...draft, ...change, changedAt: formatNow() };
      unkept.current = next;
      setDraft(next);
    },
    discard() {
      unkept.current = null;
      shelf.clear();
    },
  };
}

function formatNow(): string {
  return new Date().toISOString();
}
