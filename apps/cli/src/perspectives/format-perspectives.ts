import type { Perspective } from "@merkle/wire";
import type { Output } from "../command/output.js";
import { oneLine } from "../text/one-line.js";
import { formatTable } from "../text/table.js";
import { toAge } from "../text/time.js";

type Painted = Pick<Output, "columns" | "signs" | "bold" | "dim" | "alarm">;

/** One line for each persona: what it read, when, and whether that still holds. */
export function formatPerspectives(perspectives: readonly Perspective[], output: Painted): string {
  const rows = perspectives.map((each) => [
    { text: oneLine(each.persona_name), paint: output.bold },
    { text: each.source_version === null ? "" : `v${each.source_version}` },
    { text: `${toAge(each.made_at)} ago`, paint: output.dim },
    { text: staleText(each), ...(each.stale && { paint: output.alarm }) },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: 0, more: output.signs.more });
}

/** The same of one: `read as Sceptic of v12 3m ago · stale: the document has changed since`. */
export function perspectiveText(
  { persona_name, source_version, made_at, ...rest }: Perspective,
  { dot }: Pick<Output, "dot">,
): string {
  const version = source_version === null ? "" : ` of v${source_version}`;
  const read = `read as ${oneLine(persona_name)}${version} ${toAge(made_at)} ago`;
  return rest.stale ? `${read} ${dot} ${staleText(rest)}` : read;
}

function staleText({ stale_because }: Pick<Perspective, "stale_because">): string {
  if (stale_because.length === 0) return "";
  const changed = stale_because.map((each) => (each === "source" ? "the document" : "the persona"));
  return `stale: ${changed.join(" and ")} ${changed.length === 1 ? "has" : "have"} changed since`;
}
