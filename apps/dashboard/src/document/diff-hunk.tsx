import { type ReactNode, useMemo } from "react";
import { cn } from "@/core/utils";
import { findChangedParts, pairLines, toSplitRows } from "@/text/diff/diff-rows";
import type { DiffLine } from "@/text/diff/unified-diff";
import { showHidden } from "@/text/markdown/hidden-characters";

/** The lines of a hunk in one column, like the output of `diff -u`. */
export function UnifiedHunk({ lines }: { lines: readonly DiffLine[] }) {
  const pairs = useMemo(() => pairLines(lines), [lines]);
  return (
    <table aria-label="Removed lines start with a minus, added lines with a plus" className={table}>
      <tbody>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the hunk.
          <tr key={index} className={colours[line.kind]}>
            <NumberCell line={line.oldLine} />
            <NumberCell line={line.newLine} />
            <td className={signCell}>{signs[line.kind]}</td>
            <TextCell line={line} other={pairs.get(line)} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The lines of a hunk in two columns: the old text on the left, the new text on the right. */
export function SplitHunk({ lines }: { lines: readonly DiffLine[] }) {
  const rows = useMemo(() => toSplitRows(lines), [lines]);
  return (
    <table aria-label="Old lines on the left, new lines on the right" className={cn(table, "table-fixed")}>
      <colgroup>
        <col className="w-10" />
        <col className="w-4" />
        <col />
        <col className="w-10" />
        <col className="w-4" />
        <col />
      </colgroup>
      <tbody>
        {rows.map(({ left, right }, index) => {
          const isReplaced = left?.kind === "removed" && right?.kind === "added";
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the hunk.
            <tr key={index}>
              <Half line={left} other={isReplaced ? right : null} number={left?.oldLine ?? null} />
              <Half line={right} other={isReplaced ? left : null} number={right?.newLine ?? null} isRight />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const table = "w-full border-collapse font-mono text-xs leading-5";
const signCell = "w-4 text-center align-top select-none";
const colours = { same: "", added: "bg-added", removed: "bg-removed" } as const;
const signs = { same: "", added: "+", removed: "−" } as const;

interface HalfProps {
  readonly line: DiffLine | null;
  readonly other: DiffLine | null;
  readonly number: number | null;
  readonly isRight?: boolean;
}

function Half({ line, other, number, isRight = false }: HalfProps) {
  const colour = line ? colours[line.kind] : "bg-surface";
  return (
    <>
      <NumberCell line={number} className={cn(colour, isRight && "border-s")} />
      <td className={cn(signCell, colour)}>{line && signs[line.kind]}</td>
      {line ? (
        <TextCell line={line} other={other ?? undefined} className={colour} />
      ) : (
        <td className={colour} />
      )}
    </>
  );
}

function NumberCell({ line, className }: { line: number | null; className?: string }) {
  return (
    <td
      className={cn(
        "w-10 min-w-10 px-1 text-end align-top text-muted-foreground tabular-nums select-none",
        className,
      )}
    >
      {line}
    </td>
  );
}

interface TextCellProps {
  readonly line: DiffLine;
  /** The line that this line replaced, or that replaced this line. */
  readonly other: DiffLine | undefined;
  readonly className?: string;
}

function TextCell({ line, other, className }: TextCellProps) {
  return (
    <td dir="auto" className={cn("pe-2 align-top whitespace-pre-wrap [overflow-wrap:anywhere]", className)}>
      {markChanged(line, other)}
      {line.text === "" && " "}
      {line.hasNoLineBreak && (
        <span className="text-muted-foreground select-none"> (no line break at the end)</span>
      )}
    </td>
  );
}

/** Returns the line's text. Marks the part that differs from the other line. */
function markChanged(line: DiffLine, other: DiffLine | undefined): ReactNode {
  const parts =
    line.kind === "removed" && other
      ? findChangedParts(line.text, other.text)?.removed
      : other && findChangedParts(other.text, line.text)?.added;
  if (!parts || parts.start === parts.end) return showHidden(line.text);
  const Mark = line.kind === "removed" ? "del" : "ins";
  return (
    <>
      {showHidden(line.text.slice(0, parts.start))}
      <Mark className="font-semibold underline decoration-2 underline-offset-2">
        {showHidden(line.text.slice(parts.start, parts.end))}
      </Mark>
      {showHidden(line.text.slice(parts.end))}
    </>
  );
}
