import type { Perspective } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { printForeign, rawFlag } from "../../text/print-foreign.js";
import { formatTable } from "../../text/table.js";
import { toAge } from "../../text/time.js";

export const perspective: Command = {
  name: "perspective",
  summary: "show a persona's review of the document, or list all reviews",
  arguments: [
    { name: "<session>", summary: "session slug, id or exact title" },
    { name: "[persona]", summary: "persona name (default: list the reviews)" },
  ],
  flags: [rawFlag],
  examples: [
    "merkle perspective split-auth",
    "merkle perspective split-auth Sceptic",
    "merkle jobs run split-auth perspective --persona Sceptic",
  ],
  async run({ args: [name, persona_name], flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, name, config);
    if (persona_name === undefined) {
      const answer = await broker.call("list_perspectives", { session_id });
      if (output.json || answer.perspectives.length > 0)
        output.show(answer, formatPerspectives(answer.perspectives, output));
      else output.note(`no reviews yet; next: merkle jobs run ${slug} perspective --persona Sceptic`);
      return exitCodes.done;
    }
    const read = await broker.call("get_perspective", { session_id, persona_name });
    printForeign(output, read, `${read.content}\n`, { raw: isSet(flags, "raw") });
    output.note(`  ${describePerspective(read, output)}`);
    if (read.stale)
      output.note(`  next: merkle jobs run ${slug} perspective --persona ${quoteName(read.persona_name)}`);
    return exitCodes.done;
  },
};

function quoteName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name}"`;
}

type PerspectiveStyle = Pick<Output, "columns" | "signs" | "bold" | "dim" | "alarm">;

/** Returns one line per persona: the version that it read, the time, and whether the perspective is stale. */
function formatPerspectives(perspectives: readonly Perspective[], output: PerspectiveStyle): string {
  const rows = perspectives.map((each) => [
    { text: toOneLine(each.persona_name), paint: output.bold },
    { text: each.source_version === null ? "" : `v${each.source_version}` },
    { text: `${toAge(each.made_at)} ago`, paint: output.dim },
    { text: describeStaleness(each), ...(each.stale && { paint: output.alarm }) },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: 0, more: output.signs.more });
}

/**
 * Describes one perspective, for example `read as Sceptic of v12 3m ago · stale: the document has changed
 * since`.
 */
function describePerspective(
  { persona_name, source_version, made_at, ...rest }: Perspective,
  { dot }: Pick<Output, "dot">,
): string {
  const version = source_version === null ? "" : ` of v${source_version}`;
  const read = `read as ${toOneLine(persona_name)}${version} ${toAge(made_at)} ago`;
  return rest.stale ? `${read} ${dot} ${describeStaleness(rest)}` : read;
}

function describeStaleness({ stale_because }: Pick<Perspective, "stale_because">): string {
  if (stale_because.length === 0) return "";
  const changed = stale_because.map((each) => (each === "source" ? "the document" : "the persona"));
  return `stale: ${changed.join(" and ")} ${changed.length === 1 ? "has" : "have"} changed since`;
}
