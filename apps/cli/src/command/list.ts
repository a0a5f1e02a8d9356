import type { OperationName } from "@merkle/wire";
import { formatNumber } from "@merkle/wire/text";
import { readWholeNumber } from "../core/flag-values.js";
import { type Flag, type Flags, findFlag } from "../core/flags.js";
import { type Cell, formatList, type ListColumn } from "../text/list-layout.js";
import type { Output } from "./output.js";

/**
 * The rows that a command lists, as the broker returns them. `npm run docs` reads from the contract which
 * fields the rows have, for `--json <fields>`.
 */
export interface ListSource {
  readonly operation: OperationName;
  /** The field of the reply that contains the rows. */
  readonly rows: string;
  /** Fields that the command adds to each row. */
  readonly added?: readonly string[];
}

/** A column of a list: how it is laid out, and its text for one row. */
export interface Column<Row> extends ListColumn {
  cell(row: Row): Cell | string;
}

export interface List<Row> {
  /** The document for `--json` without fields: the broker's reply. */
  readonly value: unknown;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** How many rows there are, including those that are not listed. Undefined if that is not known. */
  readonly total?: number | undefined;
  /** Whether there are more rows than listed, if their number is not known. */
  readonly hasMore?: boolean;
  /** How to list the others (default: a larger `--limit`). */
  readonly rest?: string;
  /** The note for a list without rows. */
  readonly empty: string;
  /** A line below the rows, such as a sum. */
  readonly foot?: string;
}

/** The `--web` flag of every list that the dashboard has a page for. */
export const webFlag: Flag = { flags: "--web", summary: "open the page of this list in the browser" };

/** The `--limit` flag of a list. Without `usual`, the list contains all rows by default. */
export function limitFlag(usual?: number, max?: number): Flag {
  const bound = max === undefined ? "" : `, up to ${formatNumber(max)}`;
  return {
    flags: "--limit <number>",
    summary: `maximum number of results${bound} (default: ${usual ?? "all"})`,
  };
}

/** Returns the value of `--limit`. @throws CliError `usage` for anything but a number from 1 to `max` */
export function readLimit(flags: Flags, max: number = Number.MAX_SAFE_INTEGER): number | undefined {
  return readWholeNumber(findFlag(flags, "limit"), "--limit", { min: 1, max });
}

/**
 * Prints a list (CLI-166): with `--json` as one document, or as an array that has only the requested fields
 * of each row; otherwise one line per row, through a pager if the list is longer than the terminal. A note
 * says how many rows are not listed.
 */
export async function showList<Row extends object>(
  list: List<Row>,
  { flags, output }: { readonly flags: Flags; readonly output: Output },
): Promise<void> {
  const { value, rows, total = 0, hasMore = false, rest = "--limit lists more", empty, foot } = list;
  const fields = findFlag(flags, "fields");
  if (output.json) {
    const names = fields?.split(",").filter((name) => name !== "");
    return output.show(names ? rows.map((row) => pickFields(row, names)) : value, "");
  }
  if (rows.length === 0) return output.note(empty);
  const text = formatRows(rows, list.columns, output);
  await output.page(value, foot === undefined ? text : `${text}\n${output.dim(foot)}`);
  if (total > rows.length) output.note(`  ${formatNumber(rows.length)} of ${formatNumber(total)}: ${rest}`);
  else if (hasMore) output.note(`  the first ${formatNumber(rows.length)}: ${rest}`);
}

type ListStyle = Pick<Output, "columns" | "signs" | "isTerminal" | "dim">;

/** Formats one line per row, below headings if the output is a terminal. */
export function formatRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { columns: width, signs, isTerminal, dim }: ListStyle,
): string {
  const cells = rows.map((row) =>
    columns.map(({ cell }) => {
      const shown = cell(row);
      return typeof shown === "string" ? { text: shown } : shown;
    }),
  );
  return formatList(cells, { columns, width, more: signs.more, ...(isTerminal && { paintHead: dim }) });
}

function pickFields(row: object, names: readonly string[]): Record<string, unknown> {
  const values: Readonly<Record<string, unknown>> = { ...row };
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}
