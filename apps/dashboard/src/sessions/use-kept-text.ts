import { useCallback, useState } from "react";

/**
 * Returns the text typed in a dialog and stores it in the browser until it is saved, so that closing the dialog or page loses
 * nothing.
 */
export function useKeptText(place: string, initial: string): [string, (text: string) => void, () => void] {
  const [text, setText] = useState(() => read(place) ?? initial);
  const change = useCallback(
    (next: string) => {
      setText(next);
      write(place, next === initial ? null : next);
    },
    [place, initial],
  );
  const forget = useCallback(() => write(place, null), [place]);
  return [text, change, forget];
}

function read(place: string): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

function write(place: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(place);
    else localStorage.setItem(place, text);
  } catch {
    // If the storage is full or blocked, the text still exists in this dialog.
  }
}
