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
  readonly contentName: string;
  /** Whether to show only the icon. */
  readonly isCompact?: boolean;
}

/** A button that copies text and shows the result. */
export function CopyButton({ text, contentName, isCompact = false }: CopyButtonProps) {
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
        {icons[outcome ?? "idle"]}
        <span className={isCompact ? "sr-only" : undefined}>{labels[outcome ?? "idle"]}</span>
        <span className="sr-only"> {contentName}</span>
      </Button>
      <span role="status" className="sr-only">
        {outcome === "copied" && `Copied: ${contentName}`}
        {outcome === "refused" && "Couldn't copy. Select the text instead."}
      </span>
    </>
  );
}

const icons = {
  idle: <Copy aria-hidden />,
  copied: <Check aria-hidden className="text-success" />,
  refused: <X aria-hidden className="text-danger" />,
};

const labels = { idle: "Copy", copied: "Copied", refused: "Select" };
