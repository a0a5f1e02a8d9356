"use client";

import type { Message } from "@merkle/wire";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { clipText, textOf } from "@/lib/feed/message-text";
import { MarkdownText } from "@/lib/markdown/markdown-text";

/** The text of a message; of a long one the beginning, with a way to the rest. */
export function MessageBody({ message }: { readonly message: Message }) {
  const [isWhole, setWhole] = useState(false);
  const text = textOf(message);
  const clipped = clipText(text);
  return (
    <>
      <MarkdownText text={isWhole ? text : clipped.text} />
      {clipped.whole !== null && (
        <Button
          variant="outline"
          size="sm"
          className="mt-1"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? <ChevronUp aria-hidden /> : <ChevronDown aria-hidden />}
          {isWhole ? "Show less" : `Show ${clipped.whole}`}
        </Button>
      )}
    </>
  );
}
