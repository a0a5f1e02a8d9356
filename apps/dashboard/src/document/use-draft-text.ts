import { useEffect, useMemo, useRef, useState } from "react";
import { useSession } from "@/sessions/session-context";
import { type DocumentDraft, openDraftStorage } from "./document-draft";

/**
 * Pause after the last keystroke before the draft is stored, in milliseconds. It is also stored immediately when the page closes.
 */
const saveDelayMs = 300;

export type DraftStart = Pick<DocumentDraft, "baseVersion" | "text" | "section">;

export interface DraftText {
  readonly draft: DocumentDraft;
  readonly isChanged: boolean;
  /** False if the browser could not store the draft, which is then lost when the page closes. */
  readonly isStored: boolean;
  change(change: Partial<DraftStart>): void;
  /** Deletes the draft after it was saved or discarded. */
  discard(): void;
}

/** Returns the text being written and stores it in the browser as the user types. Starts with the stored draft, if any. */
export function useDraftText(start: DraftStart): DraftText {
  const { session } = useSession();
  const draftStorage = useMemo(
    () => openDraftStorage(session.session_id, globalThis.localStorage),
    [session.session_id],
  );
  const [initial] = useState(() => start);
  const [draft, setDraft] = useState<DocumentDraft>(
    () => draftStorage.read() ?? { ...start, changedAt: formatNow() },
  );
  const [isStored, setStored] = useState(true);
  const unsavedDraft = useRef<DocumentDraft>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the draft restarts the wait.
  useEffect(() => {
    const save = () => {
      if (unsavedDraft.current) setStored(draftStorage.write(unsavedDraft.current));
      unsavedDraft.current = null;
    };
    const timer = setTimeout(save, saveDelayMs);
    window.addEventListener("pagehide", save);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pagehide", save);
    };
  }, [draftStorage, draft]);
  useEffect(
    () => () => {
      if (unsavedDraft.current) draftStorage.write(unsavedDraft.current);
    },
    [draftStorage],
  );

  return {
    draft,
    isChanged: draft.text !== initial.text,
    isStored,
    change(change) {
      const next = { ...draft, ...change, changedAt: formatNow() };
      unsavedDraft.current = next;
      setDraft(next);
    },
    discard() {
      unsavedDraft.current = null;
      draftStorage.clear();
    },
  };
}

function formatNow(): string {
  return new Date().toISOString();
}
