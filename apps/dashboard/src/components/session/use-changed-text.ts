import { useCallback, useEffect, useState } from "react";

/** Where nothing moves no animation ends; and what is not drawn need not go at once. */
const keptMsMax = 2_000;

export interface ChangedText {
  /** How often it has changed since it was first shown. */
  readonly changes: number;
  /** What it was, until that has faded out. */
  readonly before: string | null;
  readonly onFadedOut: () => void;
}

/** A text that may change, with what is needed to show that it does. */
export function useChangedText(text: string): ChangedText {
  const [seen, setSeen] = useState<{ text: string; before: string | null; changes: number }>({
    text,
    before: null,
    changes: 0,
  });
  const onFadedOut = useCallback(() => setSeen((now) => ({ ...now, before: null })), []);
  // Set while drawing, so that the old text never stands alone for a moment where the new one belongs.
  if (seen.text !== text) setSeen({ text, before: seen.text, changes: seen.changes + 1 });
  useEffect(() => {
    if (seen.before === null) return;
    // By the animation's own end alone: a page that is slow to draw would otherwise never begin it.
    const timer = setTimeout(onFadedOut, keptMsMax);
    return () => clearTimeout(timer);
  }, [seen.before, onFadedOut]);
  return { before: seen.before, changes: seen.changes, onFadedOut };
}
