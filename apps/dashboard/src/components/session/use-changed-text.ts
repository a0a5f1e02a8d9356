import { useEffect, useState } from "react";

const fadeMs = 180;

/** A text that may change: how often it did since it was first shown, and, while that fades out, what it was. */
export function useChangedText(text: string): { before: string | null; changes: number } {
  const [seen, setSeen] = useState<{ text: string; before: string | null; changes: number }>({
    text,
    before: null,
    changes: 0,
  });
  // Set while drawing, so that the old text never stands alone for a moment where the new one belongs.
  if (seen.text !== text) setSeen({ text, before: seen.text, changes: seen.changes + 1 });
  useEffect(() => {
    if (seen.before === null) return;
    const timer = setTimeout(() => setSeen((now) => ({ ...now, before: null })), fadeMs);
    return () => clearTimeout(timer);
  }, [seen.before]);
  return seen;
}
