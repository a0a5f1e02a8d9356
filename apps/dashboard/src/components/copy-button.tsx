"use client";

import { Check, Copy, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { copyText } from "@/lib/copy-text";

type Outcome = "copied" | "refused" | null;

const shownMs = 2_000;

/** Copies a text and says whether it did. `what` names it to those who do not see where the button stands. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<Outcome>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <>
      <Button
        variant="outline"
        size="sm"
        className="w-20"
        onClick={async () => setOutcome((await copyText(text)) ? "copied" : "refused")}
      >
        {faces[outcome ?? "idle"]}
        <span className="sr-only">{what}</span>
      </Button>
      <span role="status" className="sr-only">
        {outcome === "copied" && `Copied: ${what}`}
        {outcome === "refused" && "The browser did not allow copying. Select the text instead."}
      </span>
    </>
  );
}

const faces = {
  idle: (
    <>
      <Copy aria-hidden /> Copy
    </>
  ),
  copied: (
    <>
      <Check aria-hidden className="text-success" /> Copied
    </>
  ),
  refused: (
    <>
      <X aria-hidden className="text-danger" /> Select
    </>
  ),
};
