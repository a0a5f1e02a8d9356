"use client";

import { useEffect, useState } from "react";
import { usePreference } from "@/core/preferences/use-preference";
import { Button } from "@/ui/button";
import { Kbd } from "@/ui/kbd";

/**
 * Explains, when the browser's own search is first used, that it finds only the rows near the screen. The browser's search still
 * opens. Once closed, the hint does not appear again.
 */
export function FindHint() {
  const [isKnown, setKnown] = usePreference("knowsFind");
  const [letterKeys] = usePreference("letterKeys");
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (isKnown) return;
    const onKeyDown = (event: KeyboardEvent) => isFindShortcut(event) && setShown(true);
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [isKnown]);
  if (isKnown || !isShown) return null;
  return (
    <p
      role="status"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b bg-surface px-3 py-1 text-sm"
    >
      <span className="min-w-0 flex-1 basis-60">
        {letterKeys === "off" ? (
          "Use “Find in feed” above to search all messages."
        ) : (
          <>
            Press {letterKeys === "alt" && <Kbd>Alt</Kbd>} <Kbd>/</Kbd> to search all messages.
          </>
        )}{" "}
        <span className="text-muted-foreground">
          Your browser’s search only covers messages near the screen.
        </span>
      </span>
      <Button variant="ghost" size="sm" onClick={() => setKnown(true)}>
        Close
      </Button>
    </p>
  );
}

function isFindShortcut({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === "f";
}
