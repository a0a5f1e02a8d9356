/** Formats a table in markdown. A `|` in a cell is escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [toLine(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(toLine)].join("\n");
}
