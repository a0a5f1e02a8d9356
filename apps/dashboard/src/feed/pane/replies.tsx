"use client";

import type { Message } from "@merkle/wire";
import { ChevronRight, MessagesSquare } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { cn } from "@/core/utils";
import type { Thread } from "@/feed/store/threads";
import { showHidden } from "@/text/markdown/hidden-characters";
import { MessageRow } from "./message-row";

export interface RepliesProps {
  readonly ask: Message;
  readonly replies: readonly Message[];
  readonly isOpen: boolean;
  /** Sequence of the reply that the URL names. */
  readonly linkedSequence: number | null;
  readonly onToggle: (ask: Message) => void;
}

/** The replies to an ask, collapsed into one line. */
export function Replies({ ask, replies, isOpen, linkedSequence, onToggle }: RepliesProps) {
  const last = replies.at(-1);
  const count = `${replies.length} ${replies.length === 1 ? "reply" : "replies"}`;
  return (
    <div className="ps-8">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={`${count} to message ${ask.sequence}`}
        title="Expand or collapse  O"
        onClick={() => onToggle(ask)}
        className="group/replies mt-1 -ms-1 flex min-h-7 max-w-full min-w-0 items-center gap-1.5 rounded-md px-1 text-sm hover:bg-raised pointer-coarse:min-h-11"
      >
        <ChevronRight
          aria-hidden
          className={cn(
            "size-4 shrink-0 text-muted-foreground motion-safe:transition-transform motion-safe:duration-120",
            isOpen && "rotate-90",
          )}
        />
        <span className="shrink-0 font-medium text-link">{count}</span>
        {last && !isOpen && (
          <span className="min-w-0 truncate text-muted-foreground">
            last by <bdi>{showHidden(last.from?.team ?? "")}</bdi>{" "}
            <TimeText at={last.posted_at} as="clock" className="tabular-nums" />
          </span>
        )}
      </button>
      {isOpen && (
        <ol
          aria-label={`Replies to message ${ask.sequence}`}
          className="mt-1 grid gap-2 border-s-2 ps-2 [&>li]:min-w-0"
        >
          {replies.map((reply) => (
            <Reply key={reply.id} reply={reply} isLinked={reply.sequence === linkedSequence} />
          ))}
        </ol>
      )}
    </div>
  );
}

function Reply({ reply, isLinked }: { readonly reply: Message; readonly isLinked: boolean }) {
  const [isRaw, setRaw] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isLinked) item.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return (
    <li
      ref={item}
      data-reply={reply.sequence}
      aria-current={isLinked || undefined}
      className={cn("rounded-md", isLinked && "bg-highlight")}
    >
      <MessageRow message={reply} answer={undefined} isRaw={isRaw} onRaw={() => setRaw(!isRaw)} />
    </li>
  );
}

/** A button that filters the feed to one thread. */
export function ThreadLink({ thread }: { readonly thread: Thread }) {
  return (
    <div className="ps-8">
      <button
        type="button"
        onClick={() => setQuery({ thread: String(thread.root), m: null })}
        className="mt-0.5 -ms-1 flex min-h-6 items-center gap-1.5 rounded-md px-1 text-sm text-link hover:bg-raised pointer-coarse:min-h-11"
      >
        <MessagesSquare aria-hidden className="size-3.5" />
        {thread.replies} replies · view thread
      </button>
    </div>
  );
}
