import { isInIsolate, isolate } from "./one-line.js";
/** One cell: what is shown, and the same with colours when it has any. */
export interface Cell {
  readonly text: string;
  paint?(text: string): string;
}

interface TableOptions {
  /** The columns that there are; Infinity where nothing has to be cut. */
  readonly columns: number;
  /** Which column gives way when a row is too long, or which, one after the other, each to a width of its own if it has one. */
  readonly flexible: number | readonly (number | readonly [column: number, widthMin: number])[];
  /** Stands where something was cut. */
  readonly more: string;
}

const gap = "  ";
const flexibleMin = 12;
/** Of a flexible column that another one follows. */
const firstMin = 8;

/** Rows with their cells below each other, as wide as people see them. */
export function formatTable(
  rows: readonly (readonly Cell[])[],
  { columns, flexible, more }: TableOptions,
): string {
  const widths = fitted(columnWidths(rows), { columns, flexible });
  return rows
    .map((row) => {
      const cells = row.map((cell, index) => formatCell(cell, widths[index] ?? 0, more));
      // A column in which nobody has anything would be a gap in each row.
      return cells
        .filter((_, index) => widths[index] !== 0)
        .join(gap)
        .trimEnd();
    })
    .join("\n");
}

/** After the flexible columns the widest give way: a row that is too long would go on in the first column, as a row does. */
function fitted(widths: readonly number[], { columns, flexible }: Omit<TableOptions, "more">): number[] {
  const fitting = [...widths];
  const gaps = gap.length * (widths.filter((width) => width > 0).length - 1);
  let over = widths.reduce((sum, width) => sum + width, gaps - columns);
  const narrow = (index: number, widthMin: number) => {
    const width = fitting[index] ?? 0;
    const less = Math.min(over, Math.max(0, width - widthMin));
    fitting[index] = width - less;
    over -= less;
  };
  const inTurn = typeof flexible === "number" ? [flexible] : flexible;
  for (const [place, each] of inTurn.entries()) {
    const usual = place === inTurn.length - 1 ? flexibleMin : firstMin;
    const [index, widthMin] = typeof each === "number" ? [each, usual] : each;
    if (over > 0) narrow(index, widthMin);
  }
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

/**
 * How many columns of a terminal a text takes, or more where terminals differ: wide letters and emoji two, marks that take no
 * room none, whatever else joins the letter before as much as it would take alone.
 */
export function displayWidth(text: string): number {
  let width = 0;
  for (const letter of lettersOf(text)) width += letterWidth(letter);
  return width;
}

/** The text, cut to so many columns; the last of what is left is `more` where something is missing. */
export function cutToWidth(text: string, columns: number, more: string): string {
  if (displayWidth(text) <= columns) return text;
  let left = columns - displayWidth(more);
  let kept = "";
  for (const letter of lettersOf(text)) {
    left -= letterWidth(letter);
    if (left < 0) break;
    kept += letter;
  }
  return `${kept.trimEnd()}${isInIsolate(kept) ? isolate.end : ""}${more}`;
}

let graphemes: Intl.Segmenter | undefined;

/** The letters as people count them. What knows all of them takes longer to make than most commands do. */
function lettersOf(text: string): Iterable<string> {
  if (isAscii(text)) return text;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function letterWidth(letter: string): number {
  if (isAscii(letter)) return 1;
  if (letter.length === 1) return none.test(letter) ? 0 : wide.test(letter) ? 2 : 1;
  const [first = "", ...joined] = letter;
  // An emoji is known as one by what is behind it.
  const width = none.test(first) ? 0 : wide.test(letter) ? 2 : 1;
  return joined.reduce(
    (sum, each) => sum + (none.test(each) || joins.test(each) ? 0 : letterWidth(each)),
    width,
  );
}

/** Without what is not printed. */
function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

// Colours take no place.
const none = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
// The second half of a flag, the tone of a skin, the later letters of a Hangul syllable.
const joins = /^[\p{Regional_Indicator}\p{Emoji_Modifier}\u1160-\u11ff\ud7b0-\ud7fb]$/u;

// East Asian wide and full-width letters, and what is shown as a picture.
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Yi}\p{Script=Bopomofo}](?<![\uff61-\uffdc])|[\u2ff0-\u303e\u309b\u309c\u30a0\u30fb\u30fc\u3190-\u319f\u31c0-\u31e3\u3200-\u33ff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6])/u;
