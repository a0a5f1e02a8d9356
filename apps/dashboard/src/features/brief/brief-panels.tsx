"use client";

import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { Panel } from "@/components/panel";
import { ReadPanel } from "@/components/read-panel";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { BriefKeys, BriefLines, BriefSummary, focusFirstLine, walkLines } from "./brief-lines";

/**
 * Changes in all sessions since the person last read them (BRIEF-6). If the read fails, nothing is shown here, because
 * the list below reports the failure.
 */
export function SincePanel() {
  const [isOpen, setOpen] = useState(false);
  const { data } = useRead("brief", {});
  const summaryRead = useRead("brief", isOpen ? { summary: true } : null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) focusFirstLine(box.current);
  }, [isOpen]);
  useShortcut("b", () => setOpen(true), { label: "Since your last visit", group: "Sessions" });
  const sessions = data?.sessions.filter(({ lines }) => lines.length > 0) ?? [];
  if (sessions.length === 0) return null;
  const lineCount = sessions.reduce((sum, { lines, left_out }) => sum + lines.length + left_out, 0);
  return (
    <div className="mb-8">
      <Panel
        level={2}
        title="Since your last visit"
        note={
          <>
            {lineCount === 1 ? "1 thing" : `${lineCount} things`} in{" "}
            {sessions.length === 1 ? "1 session" : `${sessions.length} sessions`} {isOpen && <BriefKeys />}
            <Button
              variant="ghost"
              size="sm"
              className="ms-2"
              title={isOpen ? undefined : "Show  B"}
              aria-expanded={isOpen}
              aria-label={`${isOpen ? "Hide" : "Show"} what changed`}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? "Hide" : "Show"}
            </Button>
          </>
        }
      >
        {isOpen ? (
          // biome-ignore lint/a11y/noStaticElementInteractions: the lines in it have the focus; it handles their keys.
          <div ref={box} onKeyDown={walkLines} className="divide-y">
            {summaryRead.data?.summary && (
              <div className="p-4">
                <BriefSummary read={summaryRead} />
              </div>
            )}
            {sessions.map(({ session_id, session, title, lines, left_out }) => (
              <article key={session_id} aria-label={title} className="grid gap-2 px-2 py-3">
                <h3 className="px-2 font-medium">
                  <PageLink href={`/sessions/${session}`} className="rounded-sm hover:underline">
                    <bdi>{showHidden(title)}</bdi>
                  </PageLink>
                </h3>
                <BriefLines slug={session} lines={lines} omittedCount={left_out} />
              </article>
            ))}
          </div>
        ) : (
          <p className="truncate px-4 py-2 text-muted-foreground">
            <bdi>{sessions.map(({ title }) => showHidden(title)).join(", ")}</bdi>
          </p>
        )}
      </Panel>
    </div>
  );
}

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
  const summaryRead = useRead("brief", { ...input, summary: true });
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
        <ReadPanel read={read} failureTitle="Couldn't load the changes.">
          {({ sessions: [sessionBrief] }) =>
            sessionBrief === undefined || sessionBrief.lines.length === 0 ? (
              <p className="px-2 text-muted-foreground">No changes.</p>
            ) : (
              <div className="grid gap-3">
                <BriefSummary read={summaryRead} />
                <BriefLines
                  slug={sessionBrief.session}
                  lines={sessionBrief.lines}
                  omittedCount={sessionBrief.left_out}
                  isCurrentSession
                />
              </div>
            )
          }
        </ReadPanel>
      </div>
    </section>
  );
}
