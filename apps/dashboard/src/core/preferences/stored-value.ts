export interface StoredValue<Value> {
  /** Returns the stored value, including changes by other tabs. The object is the same until the value changes. */
  get(): Value;
  /** Stores the text, or removes the stored text if given null. Calls the listeners in all tabs. */
  set(text: string | null): void;
  onChange(listener: () => void): () => void;
}

/**
 * Creates a value in the browser's local storage, shared by all tabs. Call this once per key, at module level. If
 * storage is unavailable, the value is lost when the page closes.
 */
export function createStoredValue<Value>(
  key: string,
  parse: (text: string | null) => Value,
): StoredValue<Value> {
  const listeners = new Set<() => void>();
  let cached: { readonly text: string | null; readonly value: Value } | undefined;

  function read(): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return cached?.text ?? null;
    }
  }

  return {
    get() {
      const text = read();
      if (cached === undefined || text !== cached.text) cached = { text, value: parse(text) };
      return cached.value;
    },
    set(text) {
      cached = { text, value: parse(text) };
      try {
        if (text === null) localStorage.removeItem(key);
        else localStorage.setItem(key, text);
      } catch {
        // If storage is unavailable, the value lasts until the page closes.
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
