/** A text that somebody is writing and has not saved. It is kept in the browser, so that a reload or a crash loses nothing. */
export interface DocumentDraft {
  /** The version that it was begun on. */
  readonly baseVersion: number;
  /** The text, of the whole document or of the one section. */
  readonly text: string;
  /** The section that is edited in place, as it read when it was begun; null for the whole document. */
  readonly section: string | null;
  readonly changedAt: string;
}

export interface DraftShelf {
  read(): DocumentDraft | null;
  /** Returns whether the browser had room for it. */
  write(draft: DocumentDraft): boolean;
  clear(): void;
}

/** Where the draft of one session's document is kept. */
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
        // A browser that keeps nothing has nothing to remove.
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
