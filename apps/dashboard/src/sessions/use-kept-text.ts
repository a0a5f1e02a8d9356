import { useCallback, useState } from "react";

/**
 * Returns the text typed in a dialog and stores it in the browser until it is saved, so that closing the dialog or page loses
 * nothing.
 */
export function useKeptText(
  storageKey: string,
  initial: string,
): [string, (text: string) => void, () => void] {
  const [text, setText] = useState(() => read(storageKey) ?? initial);
  const change = useCallback(
    (next: string) => {
      setText(next);
      write(storageKey, next === initial ? null : next);
    },
    [storageKey, initial],
  );
  const clear = useCallback(() => write(storageKey, null), [storageKey]);
  return [text, change, clear];
}

function read(storageKey: string): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function write(storageKey: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, text);
  } catch {
    // If the storage is full or blocked, the text still exists in this dialog.
  }
}
