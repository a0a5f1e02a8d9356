"use client";

import { type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "@/ui/copy-button";
import type { CodeLine } from "./colour-code";
import type { ColourReply, ColourRequest } from "./colour-worker";

export interface CodeBlockProps {
  readonly code: string;
  readonly language: string | null;
  /** Offset of the code in the document. If `to` is set, offsets inside the code are unknown. */
  readonly at?: number;
  readonly to?: number;
}

/** Longer code is not highlighted, because too many coloured spans would block the page. */
export const colouredCharsMax = 10_000;

/** A block of code. Syntax colours appear later and do not shift the layout. */
export function CodeBlock({ code, language, at, to }: CodeBlockProps) {
  const lines = useColours(code, language);
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
        <CopyButton text={code} what={language === null ? "code" : `${language} code`} isCompact />
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

function useColours(code: string, language: string | null): readonly CodeLine[] | null {
  const key = `${language} ${code}`;
  const [coloured, setColoured] = useState<{ of: string; lines: readonly CodeLine[] } | null>(null);
  const known = colours.get(key);
  useEffect(() => {
    if (language === null || code.length > colouredCharsMax || colours.has(key)) return;
    let stale = false;
    askForColours(code, language)
      .then((lines) => {
        if (!lines) return;
        if (colours.size >= coloursMax) colours.clear();
        colours.set(key, lines);
        if (!stale) setColoured({ of: key, lines });
      })
      // Without colours the code is still readable.
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [code, language, key]);
  return known ?? (coloured?.of === key ? coloured.lines : null);
}

/** Cache of highlighted code by language and text, because feed rows mount and unmount as the user scrolls. */
const colours = new Map<string, readonly CodeLine[]>();
const coloursMax = 200;

/**
 * Highlights code in a worker. The first code block in a language takes a third of a second, which would freeze the
 * page. Returns null if the code should stay uncoloured.
 */
async function askForColours(code: string, language: string): Promise<readonly CodeLine[] | null> {
  colourer ??= startColourer();
  return colourer(code, language);
}

type Colourer = (code: string, language: string) => Promise<readonly CodeLine[] | null>;

/** One worker per page, started with the first code block, because the grammars are large. */
let colourer: Colourer | undefined;

function startColourer(): Colourer {
  const worker = new Worker(new URL("./colour-worker.ts", import.meta.url), {
    type: "module",
    name: "colours",
  });
  const asked = new Map<number, (lines: ColourReply["lines"]) => void>();
  let lastId = 0;
  worker.addEventListener("message", ({ data }: MessageEvent<ColourReply>) => {
    asked.get(data.id)?.(data.lines);
    asked.delete(data.id);
  });
  worker.addEventListener("error", () => {
    for (const settle of asked.values()) settle(null);
    asked.clear();
  });
  return (code, language) =>
    new Promise((resolve) => {
      lastId += 1;
      asked.set(lastId, resolve);
      worker.postMessage({ id: lastId, code, language } satisfies ColourRequest);
    });
}
