"use client";

import { useState } from "react";
import { showHidden } from "@/text/markdown/hidden-characters";

const tailLinesMax = 4;

/** The end of an agent's output: the last lines, with a button to show everything available. */
export function JobTail({ text, label }: { readonly text: string; readonly label: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = text.trimEnd().split("\n");
  const isLong = lines.length > tailLinesMax;
  const visibleLines = isWhole ? lines : lines.slice(-tailLinesMax);
  return (
    <div className="mt-1.5 min-w-0">
      {/* A scrollable element must be focusable, so that it can be scrolled with the keyboard. */}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the reason above.
        tabIndex={0}
        aria-label={label}
        className="max-h-64 overflow-y-auto rounded-md border bg-surface px-2.5 py-1.5"
      >
        <pre className="font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
          {showHidden(visibleLines.join("\n"))}
        </pre>
      </section>
      {isLong && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className="mt-0.5 min-h-6 text-sm text-link underline-offset-4 hover:underline pointer-coarse:min-h-11"
        >
          {isWhole ? "Show only the end" : `Show all ${lines.length} lines`}
        </button>
      )}
    </div>
  );
}
