"use client";

import { Check, Copy, X } from "lucide-react";
import { useEffect, useState } from "react";
import { copyText } from "@/core/copy-text";
import { Button } from "@/ui/button";

type CopyOutcome = "copied" | "refused" | null;

const shownMs = 2_000;

export interface CopyButtonProps {
  readonly text: string;
  /** Names the text for screen readers. */
  readonly what: string;
  /** Whether to show only the icon. */
  readonly isCompact?: boolean;
}

/** A button that copies text and shows the result. */
export function CopyButton({ text, what, isCompact = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<CopyOutcome>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <>
      <Button
        variant={isCompact ? "ghost" : "outline"}
        size={isCompact ? "icon" : "sm"}
        className={isCompact ? "size-7" : "w-20"}
        title={isCompact ? "Copy" : undefined}
        onClick={async () => setOutcome((await copyText(text)) ? "copied" : "refused")}
      >
        {signs[outcome ?? "idle"]}
        <span className={isCompact ? "sr-only" : undefined}>{words[outcome ?? "idle"]}</span>
        <span className="sr-only"> {what}</span>
      </Button>
      <span role="status" className="sr-only">
        {outcome === "copied" && `Copied: ${what}`}
        {outcome === "refused" && "Couldn't copy. Select the text instead."}
      </span>
    </>
  );
}

const signs = {
  idle: <Copy aria-hidden />,
  copied: <Check aria-hidden className="text-success" />,
  refused: <X aria-hidden className="text-danger" />,
};

const words = { idle: "Copy", copied: "Copied", refused: "Select" };
