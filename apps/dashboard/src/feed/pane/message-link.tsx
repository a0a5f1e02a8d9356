"use client";

import type { ReactNode } from "react";
import { setQuery } from "@/core/address/address";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";

export interface MessageLinkProps {
  readonly sequence: number;
  readonly label?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link to a message of this session. A plain click stays on the page. */
export function MessageLink({ sequence, label, className, children }: MessageLinkProps) {
  const { session } = useSession();
  return (
    <a
      href={`/sessions/${session.slug}?m=${sequence}`}
      aria-label={label}
      className={cn("rounded-sm", className)}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        setQuery({ m: String(sequence) });
      }}
    >
      {children}
    </a>
  );
}

/** Returns the absolute URL of a message. */
export function toMessageAddress(slug: string, sequence: number): string {
  return new URL(`/sessions/${slug}?m=${sequence}`, window.location.origin).href;
}
