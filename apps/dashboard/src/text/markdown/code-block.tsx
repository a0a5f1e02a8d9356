"use client";

import { type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "@/ui/copy-button";
import type { CodeLine } from "./colour-code";
import type { HighlightReply, HighlightRequest } from "./colour-worker";

export interface CodeBlockProps {
  readonly code: string;
  readonly language: string | null;
  /** Offset of the code in the document. If `to` is set, offsets inside the code are unknown. */
  readonly at?: number;
  readonly to?: number;
}

/** Longer code is not highlighted, because too many coloured spans would block the page. */
export const highlightedCharsMax = 10_000;

/** A block of code. Syntax colours appear later and do not shift the layout. */
export function CodeBlock({ code, language, at, to }: CodeBlockProps) {
  const lines = useHighlighting(code, language);
  return (
    <figure className="group/code relative my-2 first:mt-0 last:mb-0" aria-label={language ?? "Code"}>
      <pre
        dir="ltr"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keys as well.
        tabIndex={0}
        className="overflow-x-auto rounded-md border bg-surface px-3 py-2 font-mono text-sm leading-5"
      >
        <code data-at={at} data-to={to}>
          {lines ? lines.map(renderLine) : code}
        </code>
      </pre>
      <div className="absolute top-1 right-1 rounded-md bg-surface opacity-0 pointer-coarse:top-0 pointer-coarse:right-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100 pointer-coarse:opacity-100 motion-safe:transition-opacity">
        <CopyButton text={code} contentName={language === null ? "code" : `${language} code`} isCompact />
      </div>
    </figure>
  );
}

function renderLine(line: CodeLine, index: number): ReactNode {
  return (
    <span key={index}>
      {index > 0 && "\n"}
      {line.map(({ text, className }, part) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name and never move.
        <span key={part} className={className}>
          {text}
        </span>
      ))}
    </span>
  );
}

function useHighlighting(code: string, language: string | null): readonly CodeLine[] | null {
  const key = `${language} ${code}`;
  const [highlighted, setHighlighted] = useState<{ of: string; lines: readonly CodeLine[] } | null>(null);
  const cached = highlightCache.get(key);
  useEffect(() => {
    if (language === null || code.length > highlightedCharsMax || highlightCache.has(key)) return;
    let isStale = false;
    requestHighlighting(code, language)
      .then((lines) => {
        if (!lines) return;
        if (highlightCache.size >= highlightCacheMax) highlightCache.clear();
        highlightCache.set(key, lines);
        if (!isStale) setHighlighted({ of: key, lines });
      })
      // Without colours the code is still readable.
      .catch(() => undefined);
    return () => {
      isStale = true;
    };
  }, [code, language, key]);
  return cached ?? (highlighted?.of === key ? highlighted.lines : null);
}

/** Cache of highlighted code by language and text, because feed rows mount and unmount as the user scrolls. */
const highlightCache = new Map<string, readonly CodeLine[]>();
const highlightCacheMax = 200;

/**
 * Highlights code in a worker. The first code block in a language takes a third of a second, which would freeze the
 * page. Returns null if the code should stay uncoloured.
 */
async function requestHighlighting(code: string, language: string): Promise<readonly CodeLine[] | null> {
  highlighter ??= startHighlighter();
  return highlighter(code, language);
}

type Highlighter = (code: string, language: string) => Promise<readonly CodeLine[] | null>;

/** One worker per page, started with the first code block, because the grammars are large. */
let highlighter: Highlighter | undefined;

function startHighlighter(): Highlighter {
  const worker = new Worker(new URL("./colour-worker.ts", import.meta.url), {
    type: "module",
    name: "colours",
  });
  const pendingRequests = new Map<number, (lines: HighlightReply["lines"]) => void>();
  let lastId = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<HighlightReply>) => {
    pendingRequests.get(data.id)?.(data.lines);
    pendingRequests.delete(data.id);
  });
  worker.addEventListener("error", () => {
    for (const settle of pendingRequests.values()) settle(null);
    pendingRequests.clear();
  });
  return (code, language) =>
    new Promise((resolve) => {
      lastId += 1;
      pendingRequests.set(lastId, resolve);
      worker.postMessage({ id: lastId, code, language } satisfies HighlightRequest);
    });
}
