"use client";

import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { useRead } from "@/broker/use-read";
import { ReadPanel } from "@/components/read-panel";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { BriefKeys, BriefLines, BriefSummary, focusFirstLine, walkLines } from "./brief-lines";

export interface CatchUpPanelProps {
  /** The sequence up to which the person has read. */
  readonly since: number;
  readonly onClose: () => void;
}

/** Changes in the session since the person last read it, the most important first (BRIEF-6). */
export function CatchUpPanel({ since, onClose }: CatchUpPanelProps) {
  const { session } = useSession();
  const input = { session: session.session_id, since_cursor: since };
  const read = useRead("brief", input);
  const summed = useRead("brief", { ...input, summary: true });
  const box = useRef<HTMLDivElement>(null);
  const isRead = read.data !== undefined;
  useEffect(() => {
    if (isRead) focusFirstLine(box.current);
  }, [isRead]);
  return (
    <section
      aria-label="Since your last visit"
      onKeyDown={walkLines}
      className="flex max-h-[50%] min-h-0 flex-col border-b bg-surface"
    >
      <header className="flex items-center justify-between gap-2 px-3 pt-2">
        <h2 className="font-semibold">Since your last visit</h2>
        <BriefKeys />
        <Button variant="ghost" size="icon" aria-label="Close" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keys. */}
      <div ref={box} className="min-h-0 overflow-y-auto px-1 pb-3" tabIndex={0}>
        <ReadPanel read={read} failed="Couldn't load the changes.">
          {({ sessions: [told] }) =>
            told === undefined || told.lines.length === 0 ? (
              <p className="px-2 text-muted-foreground">No changes.</p>
            ) : (
              <div className="grid gap-3">
                <BriefSummary read={summed} />
                <BriefLines slug={told.session} lines={told.lines} leftOut={told.left_out} here />
              </div>
            )
          }
        </ReadPanel>
      </div>
    </section>
  );
}
