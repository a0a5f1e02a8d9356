import { useMemo } from "react";
import { useSource } from "@/sessions/source-context";
import { showHidden } from "@/text/markdown/hidden-characters";

/** A longer document is shown as plain text, because rendering it as markdown would block the page for seconds. */
export const renderedCharsMax = 128 * 1024;

const linesPerPart = 200;

/** Markdown that is too long to render, shown as plain text. */
export function PlainDocument({ content }: { content: string }) {
  const { source } = useSource();
  return (
    <>
      <p role="note" className="mb-3 rounded-md border bg-surface px-3 py-2 text-sm text-muted-foreground">
        This {source.kind} is {Math.ceil(content.length / 1024)} kB. It’s shown as plain text to keep the page
        fast.
      </p>
      <PlainLines content={content} />
    </>
  );
}

/** Plain text, split into parts so that the browser can skip the parts that are out of view. */
export function PlainLines({ content }: { content: string }) {
  const parts = useMemo(() => splitIntoParts(content), [content]);
  return (
    <>
      {parts.map(({ key, text }) => (
        <pre
          key={key}
          data-part={key}
          data-at={0}
          data-to={showHidden(text) === text ? undefined : text.length}
          dir="auto"
          className="font-mono text-sm break-words whitespace-pre-wrap [contain-intrinsic-size:auto_250rem] [content-visibility:auto]"
        >
          {showHidden(text)}
        </pre>
      ))}
    </>
  );
}

/** Splits the text into the parts to render. Adjacent parts are separated by one line break. */
export function splitIntoParts(content: string): { key: string; text: string }[] {
  const lines = content.split("\n");
  return Array.from({ length: Math.ceil(lines.length / linesPerPart) }, (_, part) => ({
    key: `part ${part}`,
    text: lines.slice(part * linesPerPart, (part + 1) * linesPerPart).join("\n"),
  }));
}
