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

export interface DraftStorage {
  read(): DocumentDraft | null;
  /** Returns false if the browser's storage is full or blocked. */
  write(draft: DocumentDraft): boolean;
  clear(): void;
}

/** Returns the storage for the draft of one session's document. */
export function openDraftStorage(sessionId: string, storage: Storage | undefined): DraftStorage {
  const storageKey = `merkle.document-draft.${sessionId}`;
  return {
    read() {
      try {
        return parseDraft(JSON.parse(storage?.getItem(storageKey) ?? "null"));
      } catch {
        return null;
      }
    },
    write(draft) {
      try {
        storage?.setItem(storageKey, JSON.stringify(draft));
        return storage !== undefined;
      } catch {
        return false;
      }
    },
    clear() {
      try {
        storage?.removeItem(storageKey);
      } catch {
        // If storage is unavailable, there is no draft to remove.
      }
    },
  };
}

function parseDraft(value: unknown): DocumentDraft | null {
  if (typeof value !== "object" || value === null) return null;
  if (!("text" in value && "baseVersion" in value && "section" in value && "changedAt" in value)) return null;
  const { text, baseVersion, section, changedAt } = value;
  if (typeof text !== "string" || typeof baseVersion !== "number" || typeof changedAt !== "string")
    return null;
  if (section !== null && typeof section !== "string") return null;
  return { text, baseVersion, section, changedAt };
}
