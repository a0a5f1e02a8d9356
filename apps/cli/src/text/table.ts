/** One cell: what is shown, and the same with colours when it has any. */
export interface Cell {
  readonly text: string;
  paint?(text: string): string;
}

interface TableOptions {
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

/** How many columns of a terminal a text takes: wide letters and emoji two, marks that join the letter before none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text, cut to so many columns; the last of what is left is `more` where something is missing. */
export function cutToWidth(text: string, columns: number, more: string): string {
  if (displayWidth(text) <= columns) return text;
  let left = columns - displayWidth(more);
  let kept = "";
  for (const { segment } of graphemes.segment(text)) {
    left -= graphemeWidth(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${more}`;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function graphemeWidth(segment: string): number {
  // Colours take no place.
  if (/^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}

// East Asian wide and full-width letters, and what is shown as a picture.
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Yi}\p{Script=Bopomofo}](?<![\uff61-\uffdc])|[\u3000-\u303e\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6])/u;
