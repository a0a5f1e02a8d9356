/** A table in markdown; a `|` in a cell stays text. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [toLine(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(toLine)].join("\n");
}
