import { type Draft, emptyDraft } from "./draft";

/** A draft of one session, kept in the browser until it is sent: it survives a reload. */
export interface DraftStore {
  readonly current: Draft;
  change(change: Partial<Draft>): void;
  /** The key under which this draft is posted: the same until something about it changes, so that trying again posts once. */
  keyFor(input: object): string;
  /** Begins a new draft. */
  clear(): void;
  listen(listener: () => void): () => void;
}

interface Kept {
  readonly draft: Draft;
  /** The input that was last tried, and the key it was tried with. */
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
    // Only this store writes here. Fields that an older version did not have get their defaults.
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
    // A browser without room or leave to keep it still has the draft in this tab.
  }
}
