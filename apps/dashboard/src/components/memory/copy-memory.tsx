"use client";

import { Check, Copy, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { copyText } from "@/lib/copy-text";
import type { ShownMemory } from "./use-memories";

const shownMs = 2_000;

/** Copies a memory with its number, so that one can say where it comes from. */
export function CopyMemory({ memory: { id, content } }: { memory: ShownMemory }) {
  const [copied, setCopied] = useState<boolean | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        title="Copy"
        aria-label={`Copy ${id}`}
        onClick={async () => setCopied(await copyText(`${content}\n\n(${id})`))}
      >
        {copied === null ? (
          <Copy aria-hidden />
        ) : copied ? (
          <Check aria-hidden className="text-success" />
        ) : (
          <X aria-hidden className="text-danger" />
        )}
      </Button>
      <span role="status" className="sr-only">
        {copied === true && `Copied ${id}`}
        {copied === false && "The browser did not allow copying. Select the text instead."}
      </span>
    </>
  );
}
