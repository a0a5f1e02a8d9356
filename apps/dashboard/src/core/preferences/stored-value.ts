export interface StoredValue<Value> {
  /** The value that is stored, also by another tab; the same object until something else is. */
  get(): Value;
  /** Stores or removes a text, and calls the listeners here and in other tabs. */
  set(text: string | null): void;
  onChange(listener: () => void): () => void;
}

/**
 * Something that all tabs of a browser share, under a key of its storage. The storage is one for all of a page, and so is the
 * value: it is made once, where its module is loaded. A browser that keeps nothing has it for as long as the page lasts.
 */
export function createStoredValue<Value>(
  key: string,
  parse: (text: string | null) => Value,
): StoredValue<Value> {
  const listeners = new Set<() => void>();
  let known: { readonly text: string | null; readonly value: Value } | undefined;

  function read(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return known?.text ?? null;
    }
  }

  return {
    get() {
      const text = read();
      if (known === undefined || text !== known.text) known = { text, value: parse(text) };
      return known.value;
    },
    set(text) {
      known = { text, value: parse(text) };
      try {
        if (text === null) localStorage.removeItem(key);
        else localStorage.setItem(key, text);
      } catch {
        // It is known here nevertheless.
      }
      for (const listener of [...listeners]) listener();
    },
    onChange(listener) {
      const onStorage = (event: StorageEvent) => (event.key === key || event.key === null) && listener();
      listeners.add(listener);
      window.addEventListener("storage", onStorage);
      return () => {
        listeners.delete(listener);
        window.removeEventListener("storage", onStorage);
      };
    },
  };
}
