import { diffLines } from "diff";
import { cn } from "@/core/utils";

export interface LineDiffProps {
  readonly before: string;
  readonly after: string;
  /** Names of the two texts for screen readers. */
  readonly label: string;
}

const signs = { added: "+", removed: "−", same: " " } as const;

/** A line diff of two texts. */
export function LineDiff({ before, after, label }: LineDiffProps) {
  const lines = toLines(before, after);
  return (
    <figure aria-label={label} className="max-h-80 overflow-auto rounded-md border bg-surface">
      <pre className="min-w-fit py-1 font-mono text-xs leading-5">
        {lines.map(({ kind, text }, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison never move.
            key={index}
            className={cn("flex px-2", kind === "added" && "bg-added", kind === "removed" && "bg-removed")}
          >
            <span className="w-4 shrink-0 select-none" aria-hidden>
              {signs[kind]}
            </span>
            <span className="sr-only">{kind === "same" ? "" : `${kind}: `}</span>
            <span className="[overflow-wrap:anywhere] whitespace-pre-wrap">{text}</span>
          </div>
        ))}
      </pre>
    </figure>
  );
}

function toLines(before: string, after: string): { kind: keyof typeof signs; text: string }[] {
  return diffLines(withEnd(before), withEnd(after)).flatMap(({ value, added, removed }) =>
    value
      .slice(0, -1)
      .split("\n")
      .map((text) => ({ kind: added ? "added" : removed ? "removed" : "same", text }) as const),
  );
}

/** Ends a text with a line break, so that its last line compares equal. An empty text has no lines. */
function withEnd(text: string): string {
  return text === "" ? "" : `${text}\n`;
}
