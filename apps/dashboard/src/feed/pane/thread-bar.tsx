"use client";

import { MessagesSquare, X } from "lucide-react";
import { setQuery } from "@/core/address/address";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";

/** Shows the title of the thread that the feed is filtered to, and a button to return to the whole feed. */
export function ThreadBar({ title, count }: { readonly title: string; readonly count: number }) {
  return (
    <div className="flex min-w-0 items-center gap-2 border-b bg-surface ps-3 pe-1 text-sm">
      <MessagesSquare aria-hidden className="size-4 shrink-0 text-link" />
      <h2 dir="auto" className="min-w-0 flex-1 truncate py-1 font-medium">
        {showHidden(title)}
      </h2>
      <span className="shrink-0 text-muted-foreground tabular-nums">
        {count} {count === 1 ? "message" : "messages"}
      </span>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Show all messages"
        title="Show all messages  Esc"
        onClick={() => setQuery({ thread: null })}
      >
        <X aria-hidden />
      </Button>
    </div>
  );
}
