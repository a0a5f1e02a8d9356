import { cutToWidth, displayWidth } from "./display-width.js";

/** One cell: what is shown, and the same with colours when it has any. */
export interface Cell {
  readonly text: string;
  paint?(text: string): string;
}

export interface TableOptions {
  /** The columns that there are; Infinity where nothing has to be cut. */
  readonly columns: number;
  /** Which column gives way when a row is too long. */
  readonly flexible: number;
  /** Stands where something was cut. */
  readonly more: string;
}

const gap = "  ";
const flexibleMin = 12;

/** Rows with their cells below each other, as wide as people see them. */
export function formatTable(
  rows: readonly (readonly Cell[])[],
  { columns, flexible, more }: TableOptions,
): string {
  const widths = fitted(columnWidths(rows), { columns, flexible });
  return rows
    .map((row) => {
      const cells = row.map((cell, index) => formatCell(cell, widths[index] ?? 0, more));
      return cells.join(gap).trimEnd();
    })
    .join("\n");
}

/** After the flexible column the widest give way: a row that is too long would go on in the first column, as a row does. */
function fitted(widths: readonly number[], { columns, flexible }: Omit<TableOptions, "more">): number[] {
  const fitting = [...widths];
  const gaps = gap.length * (widths.length - 1);
  let over = widths.reduce((sum, width) => sum + width, gaps - columns);
  const narrow = (index: number, widthMin: number) => {
    const width = fitting[index] ?? 0;
    const less = Math.min(over, Math.max(0, width - widthMin));
    fitting[index] = width - less;
    over -= less;
  };
  if (over > 0) narrow(flexible, flexibleMin);
  while (over > 0) {
    const widest = Math.max(...fitting);
    if (widest <= 1) break;
    narrow(fitting.indexOf(widest), widest - 1);
  }
  return fitting;
}

function columnWidths(rows: readonly (readonly Cell[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell.text));
    });
  }
  return widths;
}

function formatCell({ text, paint = String }: Cell, width: number, more: string): string {
  const shown = cutToWidth(text, width, more);
  return `${paint(shown)}${" ".repeat(Math.max(0, width - displayWidth(shown)))}`;
}
