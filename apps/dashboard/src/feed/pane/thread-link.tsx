"use client";

import { MessagesSquare } from "lucide-react";
import { setQuery } from "@/core/address/address";
import type { Thread } from "@/feed/store/threads";

/** Leads to a talk alone, from the message that it began with. */
export function ThreadLink({ thread }: { readonly thread: Thread }) {
  return (
    <div className="ps-8">
      <button
        type="button"
        onClick={() => setQuery({ thread: String(thread.root), m: null })}
        className="mt-0.5 -ms-1 flex min-h-6 items-center gap-1.5 rounded-md px-1 text-sm text-link hover:bg-raised pointer-coarse:min-h-11"
      >
        <MessagesSquare aria-hidden className="size-3.5" />
        {thread.replies} replies: follow this talk
      </button>
    </div>
  );
}
