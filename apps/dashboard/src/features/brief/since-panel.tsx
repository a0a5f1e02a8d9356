"use client";

import { useEffect, useRef, useState } from "react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { Panel } from "@/components/panel";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { BriefKeys, BriefLines, BriefSummary, focusFirstLine, walkLines } from "./brief-lines";

/**
 * Changes in all sessions since the person last read them (BRIEF-6). Failures are not shown here, because the list below reports
 * them.
 */
export function SincePanel() {
  const [isOpen, setOpen] = useState(false);
  const { data } = useRead("brief", {});
  const summed = useRead("brief", isOpen ? { summary: true } : null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) focusFirstLine(box.current);
  }, [isOpen]);
  useShortcut("b", () => setOpen(true), { label: "Since your last visit", group: "Sessions" });
  const told = data?.sessions.filter(({ lines }) => lines.length > 0) ?? [];
  if (told.length === 0) return null;
  const things = told.reduce((sum, { lines, left_out }) => sum + lines.length + left_out, 0);
  return (
    <div className="mb-8">
      <Panel
        level={2}
        title="Since your last visit"
        note={
          <>
            {things === 1 ? "1 thing" : `${things} things`} in{" "}
            {told.length === 1 ? "1 session" : `${told.length} sessions`} {isOpen && <BriefKeys />}
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
            {summed.data?.summary && (
              <div className="p-4">
                <BriefSummary read={summed} />
              </div>
            )}
            {told.map(({ session_id, session, title, lines, left_out }) => (
              <article key={session_id} aria-label={title} className="grid gap-2 px-2 py-3">
                <h3 className="px-2 font-medium">
                  <PageLink href={`/sessions/${session}`} className="rounded-sm hover:underline">
                    <bdi>{showHidden(title)}</bdi>
                  </PageLink>
                </h3>
                <BriefLines slug={session} lines={lines} leftOut={left_out} />
              </article>
            ))}
          </div>
        ) : (
          <p className="truncate px-4 py-2 text-muted-foreground">
            <bdi>{told.map(({ title }) => showHidden(title)).join(", ")}</bdi>
          </p>
        )}
      </Panel>
    </div>
  );
}
