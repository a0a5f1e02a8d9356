import { cutToWidth, displayWidth } from "./display-width.js";
import { wrapLine } from "./wrap-line.js";

/** A cell of a list: its text, and optionally a function that adds colours to the text. */
export interface Cell {
  readonly text: string;
  paint?(text: string): string;
}

/** How a column of a list is laid out. */
export interface ListColumn {
  /** The column's heading. */
  readonly head: string;
  /**
   * The width to which the column can be cut. A column without this field is never cut, because users type
   * what it contains.
   */
  readonly widthMin?: number;
  /** Aligns the text at the right, for numbers that readers compare. */
  readonly align?: "right";
  /** The column is left out where the terminal is too narrow. The last such column is left out first. */
  readonly isOptional?: true;
}

interface ListLayout {
  readonly columns: readonly ListColumn[];
  /** The available width in columns. Infinity if nothing needs to be truncated. */
  readonly width: number;
  /** The string that marks where text was truncated. */
  readonly more: string;
  /** Paints the headings. Without this function the list has no headings. */
  paintHead?(text: string): string;
}

const gap = "  ";

const indent = "    ";

/**
 * Formats rows as a list with aligned columns. Where the width is too small, cuts the columns that can be
 * cut, the widest first, then leaves out optional columns. If that is not enough, each row has its first
 * columns on one line and the others on an indented line below, so that no part of a row looks like another
 * row.
 */
export function formatList(rows: readonly (readonly Cell[])[], layout: ListLayout): string {
  const { columns, paintHead } = layout;
  const texts = columns.map((_, index) => rows.map((row) => displayWidth(row[index]?.text ?? "")));
  const natural = texts.map((widths) => widths.reduce((widest, width) => Math.max(widest, width), 0));
  // A column that contains no text in any row is left out.
  const shown = columns.map((_, index) => index).filter((index) => natural[index] !== 0);
  const heads = columns.map(({ head }) => ({
    text: paintHead ? head : "",
    ...(paintHead && { paint: paintHead }),
  }));
  const withHeads = natural.map((width, index) => Math.max(width, displayWidth(heads[index]?.text ?? "")));
  const hasHeads = shown.some((index) => heads[index]?.text !== "");
  const all = hasHeads ? [heads, ...rows] : rows;
  const fit = leaveOutColumns(shown, withHeads, layout);
  if (fit.excess <= 0) return all.map((row) => formatRow(row, fit, layout)).join("\n");
  return stackRows(rows, { heads: hasHeads ? heads : undefined, shown: fit.shown, natural }, layout);
}

/** Formats each row on two lines: the columns that are never cut, and the others below. */
function stackRows(
  rows: readonly (readonly Cell[])[],
  {
    heads,
    shown,
    natural,
  }: {
    readonly heads: readonly Cell[] | undefined;
    readonly shown: readonly number[];
    readonly natural: readonly number[];
  },
  layout: ListLayout,
): string {
  const { columns, width } = layout;
  const firstCut = shown.findIndex((index) => columns[index]?.widthMin !== undefined);
  let leading = firstCut < 0 ? shown.length : Math.max(1, firstCut);
  while (leading > 1 && fitColumns(shown.slice(0, leading), natural, layout).excess > 0) leading -= 1;
  const top = fitColumns(shown.slice(0, leading), natural, layout);
  const below = fitColumns(shown.slice(leading), natural, {
    columns: columns.map((column) => (column.widthMin === undefined ? column : { ...column, widthMin: 1 })),
    width: width - indent.length,
  });
  const format = (row: readonly Cell[]) => [
    formatRow(row, top, layout),
    ...[formatRow(row, below, layout)].filter((line) => line !== "").map((line) => indent + line),
  ];
  return [...(heads ? [formatRow(heads, top, layout)] : []), ...rows.flatMap(format)]
    .flatMap((line) => wrapLine(line, width, indent))
    .join("\n");
}

interface Fit {
  readonly shown: readonly number[];
  readonly widths: readonly number[];
  /** The columns by which the rows are wider than the terminal. */
  readonly excess: number;
}

/** Narrows the columns, and leaves out optional columns, the last first, until the rows fit. */
function leaveOutColumns(shown: readonly number[], wanted: readonly number[], layout: ListLayout): Fit {
  const fit = fitColumns(shown, wanted, layout);
  const last = shown.findLast((index) => layout.columns[index]?.isOptional === true);
  if (fit.excess <= 0 || last === undefined) return fit;
  return leaveOutColumns(
    shown.filter((index) => index !== last),
    wanted,
    layout,
  );
}

/** Narrows the widest column that can be cut until the rows fit or no column can be cut further. */
function fitColumns(
  shown: readonly number[],
  wanted: readonly number[],
  { columns, width }: Pick<ListLayout, "columns" | "width">,
): Fit {
  const widths = [...wanted];
  const sum = shown.reduce((total, index) => total + (widths[index] ?? 0), 0);
  let excess = sum + gap.length * (shown.length - 1) - width;
  while (excess > 0) {
    const [widest] = shown
      .filter((index) => (widths[index] ?? 0) > (columns[index]?.widthMin ?? Number.POSITIVE_INFINITY))
      .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return { shown, widths, excess };
}

function formatRow(
  row: readonly Cell[],
  { shown, widths }: Fit,
  { columns, more }: Pick<ListLayout, "columns" | "more">,
): string {
  return shown
    .map((index) => {
      const { text, paint = String } = row[index] ?? { text: "" };
      const cut = cutToWidth(text, widths[index] ?? 0, more);
      const space = " ".repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cut)));
      return columns[index]?.align === "right" ? `${space}${paint(cut)}` : `${paint(cut)}${space}`;
    })
    .join(gap)
    .trimEnd();
}
