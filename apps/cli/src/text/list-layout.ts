import { type Cell, cutToWidth, displayWidth } from "./table.js";
import { wrapLine } from "./wrap-line.js";

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

/** The width to which a column can be cut once no optional column is left. */
const leastWidth = 4;

/**
 * Formats rows as a list with aligned columns. Where the width is too small, cuts the columns that can be
 * cut, the widest first, then leaves out optional columns, then cuts further. A row that is still too wide
 * continues on an indented line, so that no part of a row looks like another row.
 */
export function formatList(rows: readonly (readonly Cell[])[], layout: ListLayout): string {
  const { columns, width, paintHead } = layout;
  const natural = columns.map((_, index) =>
    Math.max(0, ...rows.map((row) => displayWidth(row[index]?.text ?? ""))),
  );
  const heads = columns.map(({ head }) => (paintHead ? head : ""));
  // A column that contains no text in any row is left out.
  const shown = columns.map((_, index) => index).filter((index) => natural[index] !== 0);
  const wanted = columns.map((_, index) => Math.max(natural[index] ?? 0, displayWidth(heads[index] ?? "")));
  const fit = fitList(shown, wanted, layout);
  const lines = rows.map((row) => formatRow(row, fit, layout));
  const headRow = heads.map((text) => ({ text, ...(paintHead && { paint: paintHead }) }));
  const hasHeads = fit.shown.some((index) => heads[index] !== "");
  const all = hasHeads ? [formatRow(headRow, fit, layout), ...lines] : lines;
  return all.flatMap((line) => (fit.excess > 0 ? wrapLine(line, width, "    ") : [line])).join("\n");
}

interface Fit {
  readonly shown: readonly number[];
  readonly widths: readonly number[];
  /** The columns by which the rows are wider than the terminal. */
  readonly excess: number;
}

function fitList(shown: readonly number[], wanted: readonly number[], layout: ListLayout): Fit {
  const { columns } = layout;
  const fit = fitColumns(shown, wanted, layout);
  if (fit.excess <= 0) return fit;
  const last = shown.findLast((index) => columns[index]?.isOptional === true);
  if (last !== undefined)
    return fitList(
      shown.filter((index) => index !== last),
      wanted,
      layout,
    );
  const narrower = columns.map((column) =>
    column.widthMin === undefined ? column : { ...column, widthMin: leastWidth },
  );
  return fitColumns(shown, wanted, { ...layout, columns: narrower });
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
