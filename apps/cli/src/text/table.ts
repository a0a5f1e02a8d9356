import { cutToWidth, displayWidth } from "../display-width.js";

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
  const widths = columnWidths(rows);
  const total = widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
  const width = widths[flexible] ?? 0;
  if (total > columns) widths[flexible] = Math.min(width, Math.max(flexibleMin, width - (total - columns)));
  return rows
    .map((row) => {
      const cells = row.map((cell, index) => formatCell(cell, widths[index] ?? 0, more));
      return cells.join(gap).trimEnd();
    })
    .join("\n");
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
