/** Text that the user has not saved yet. The browser stores it, so that it survives a reload or a crash. */
export interface DocumentDraft {
  /** The version that the draft is based on. */
  readonly baseVersion: number;
  /** The text of the whole document, or of the edited section. */
  readonly text: string;
  /** The original text of the section that is edited in place. Null for the whole document. */
  readonly section: string | null;
  readonly changedAt: string;
}

export interface DraftShelf {
  read(): DocumentDraft | null;
  /** Returns false if the browser's storage is full or blocked. */
  write(draft: DocumentDraft): boolean;
  clear(): void;
}

/** Returns the storage for the draft of one session's document. */
export function openDraftShelf(sessionId: string, storage: Storage | undefined): DraftShelf {
  const place = `merkle.document-draft.${sessionId}`;
  return {
    read() {
      try {
        return parseDraft(JSON.parse(storage?.getItem(place) ?? "null"));
      } catch {
        return null;
      }
    },
    write(draft) {
      try {
        storage?.setItem(place, JSON.stringify(draft));
        return storage !== undefined;
      } catch {
        return false;
      }
    },
    clear() {
      try {
        storage?.removeItem(place);
      } catch {
        // If storage is unavailable, there is no draft to remove.
      }
    },
  };
}

function parseDraft(kept: unknown): DocumentDraft | null {
  if (typeof kept !== "object" || kept === null) return null;
  if (!("text" in kept && "baseVersion" in kept && "section" in kept && "changedAt" in kept)) return null;
  const { text, baseVersion, section, changedAt } = kept;
  if (typeof text !== "string" || typeof baseVersion !== "number" || typeof changedAt !== "string")
    return null;
  if (section !== null && typeof section !== "string") return null;
  return { text, baseVersion, section, changedAt };
}
