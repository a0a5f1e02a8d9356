/** Formats a markdown table. Escapes any `|` in a cell. */
export function formatMarkdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [toLine(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(toLine)].join("\n");
}
