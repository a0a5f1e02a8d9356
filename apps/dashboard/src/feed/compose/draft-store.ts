import { emptyDraft, type MessageDraft } from "./draft";

/** The draft of one session. The browser's storage keeps it until it is sent, so it survives a reload. */
export interface DraftStore {
  readonly current: MessageDraft;
  change(change: Partial<MessageDraft>): void;
  /** Returns the idempotency key for posting this draft. The key changes only when the input changes, so a retry posts once. */
  getIdempotencyKey(input: object): string;
  /** Starts a new, empty draft. */
  clear(): void;
  subscribe(listener: () => void): () => void;
}

interface StoredDraft {
  readonly draft: MessageDraft;
  /** The last input that was sent, and its idempotency key. */
  readonly tried: { readonly input: string; readonly key: string } | null;
}

export function openDraftStore(sessionId: string, storage: Storage | undefined): DraftStore {
  const storageKey = `merkle.draft.${sessionId}`;
  let stored = read(storage, storageKey);
  const listeners = new Set<() => void>();

  function store(next: StoredDraft): void {
    stored = next;
    write(storage, storageKey, next);
    for (const listener of [...listeners]) listener();
  }

  return {
    get current() {
      return stored.draft;
    },
    change: (change) => store({ ...stored, draft: { ...stored.draft, ...change } }),
    getIdempotencyKey(input) {
      const text = JSON.stringify(input);
      const key =
        stored.tried?.input === text
          ? stored.tried.key
          : crypto.getRandomValues(new Uint32Array(4)).join("-");
      store({ ...stored, tried: { input: text, key } });
      return key;
    },
    clear: () => store(emptyEntry),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const emptyEntry: StoredDraft = { draft: emptyDraft, tried: null };

function read(storage: Storage | undefined, storageKey: string): StoredDraft {
  try {
    const text = storage?.getItem(storageKey);
    // Only this store writes this item, so its type is known. Fields that an older version did not store get their
    // defaults.
    const stored = text ? (JSON.parse(text) as StoredDraft) : emptyEntry;
    return { tried: stored.tried ?? null, draft: { ...emptyDraft, ...stored.draft } };
  } catch {
    return emptyEntry;
  }
}

function write(storage: Storage | undefined, storageKey: string, stored: StoredDraft): void {
  try {
    if (stored === emptyEntry) storage?.removeItem(storageKey);
    else storage?.setItem(storageKey, JSON.stringify(stored));
  } catch {
    // If the storage is full or blocked, the draft still exists in this tab.
  }
}
