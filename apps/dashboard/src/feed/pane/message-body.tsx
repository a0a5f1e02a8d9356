"use client";

import { isRedacted, type Message } from "@merkle/wire";
import { ChevronDown, ChevronUp, Lock } from "lucide-react";
import { useState } from "react";
import { RemovedText } from "@/components/removed-text";
import { clipText, describeSize, isPrivate, textOf } from "@/feed/store/message-text";
import { showHidden } from "@/text/markdown/hidden-characters";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Button } from "@/ui/button";

/** The text of a message, or a note if the text is private or removed. */
export function MessageBody({ message }: { readonly message: Message }) {
  if (isRedacted(message)) return <RemovedText redaction={message.redaction} />;
  return isPrivate(message) ? <SealedBody message={message} /> : <TextBody message={message} />;
}

/** A note for a private message, which only its recipient can decrypt. */
function SealedBody({ message }: { readonly message: Message }) {
  return (
    <p className="flex min-w-0 items-baseline gap-1.5 text-muted-foreground">
      <Lock aria-hidden className="size-3.5 shrink-0 self-center" />
      <span className="min-w-0">
        {describeSize(message)}, encrypted for <bdi>{showHidden(message.to.join(", "))}</bdi>
      </span>
    </p>
  );
}

/** The text of a message. A long text is cut off, with a button to show the rest. */
function TextBody({ message }: { readonly message: Message }) {
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
