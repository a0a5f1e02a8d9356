import { useCallback, useState } from "react";

/** A text that is written in a dialog, kept in the browser until it is saved: closing the dialog or the page loses nothing. */
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
    // A browser without room or leave to keep it still has it in this dialog.
  }
}
