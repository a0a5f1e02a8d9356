import { type Draft, emptyDraft } from "./draft";

/** The draft of one session. The browser's storage keeps it until it is sent, so it survives a reload. */
export interface DraftStore {
  readonly current: Draft;
  change(change: Partial<Draft>): void;
  /** Returns the idempotency key for posting this draft. The key changes only when the input changes, so a retry posts once. */
  keyFor(input: object): string;
  /** Starts a new, empty draft. */
  clear(): void;
  listen(listener: () => void): () => void;
}

interface Kept {
  readonly draft: Draft;
  /** The last input that was sent, and its idempotency key. */
  readonly tried: { readonly input: string; readonly key: string } | null;
}

export function openDraftStore(sessionId: string, storage: Storage | undefined): DraftStore {
  const place = `merkle.draft.${sessionId}`;
  let kept = read(storage, place);
  const listeners = new Set<() => void>();

  function keep(next: Kept): void {
    kept = next;
    write(storage, place, next);
    for (const listener of [...listeners]) listener();
  }

  return {
    get current() {
      return kept.draft;
    },
    change: (change) => keep({ ...kept, draft: { ...kept.draft, ...change } }),
    keyFor(input) {
      const text = JSON.stringify(input);
      const key =
        kept.tried?.input === text ? kept.tried.key : crypto.getRandomValues(new Uint32Array(4)).join("-");
      keep({ ...kept, tried: { input: text, key } });
      return key;
    },
    clear: () => keep(nothing),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const nothing: Kept = { draft: emptyDraft, tried: null };

function read(storage: Storage | undefined, place: string): Kept {
  try {
    const text = storage?.getItem(place);
    // Only this store writes this item, so its type is known. Fields that an older version did not store get their
    // defaults.
    const kept = text ? (JSON.parse(text) as Kept) : nothing;
    return { tried: kept.tried ?? null, draft: { ...emptyDraft, ...kept.draft } };
  } catch {
    return nothing;
  }
}

function write(storage: Storage | undefined, place: string, kept: Kept): void {
  try {
    if (kept === nothing) storage?.removeItem(place);
    else storage?.setItem(place, JSON.stringify(kept));
  } catch {
    // If the storage is full or blocked, the draft still exists in this tab.
  }
}
