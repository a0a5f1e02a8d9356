import { type Perspective, toSourceHref } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { printForeign, rawFlag } from "../../text/print-foreign.js";
import { toAge } from "../../text/time.js";

export const perspective: Command = {
  name: "perspective",
  summary: "show a persona's review of the document, or list all reviews",
  arguments: [
    { name: "<session>", summary: "session slug, id or exact title" },
    { name: "[persona]", summary: "persona name (default: list the reviews)" },
  ],
  flags: [rawFlag, limitFlag(), webFlag],
  examples: [
    "merkle perspective split-auth",
    "merkle perspective split-auth Sceptic",
    "merkle jobs run split-auth perspective --persona Sceptic",
  ],
  list: { operation: "list_perspectives", rows: "perspectives" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const [name, persona_name] = args;
    const limit = readLimit(flags);
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, name, config);
    if (isSet(flags, "web"))
      return openPage(
        context,
        broker,
        toSourceHref(
          { session: slug, source_path: null },
          persona_name === undefined ? {} : { perspective: persona_name },
        ),
      );
    if (persona_name === undefined) {
      const answer = await broker.call("list_perspectives", { session_id });
      const rows = answer.perspectives.slice(0, limit);
      await showList(
        {
          value: { ...answer, perspectives: rows },
          rows,
          columns: listColumns(output),
          total: answer.perspectives.length,
          empty: `no reviews yet; next: merkle jobs run ${slug} perspective --persona Sceptic`,
        },
        context,
      );
      return exitCodes.done;
    }
    const read = await broker.call("get_perspective", { session_id, persona_name });
    await printForeign(output, read, `${read.content}\n`, { raw: isSet(flags, "raw") });
    output.note(`  ${describePerspective(read, output)}`);
    if (read.stale)
      output.note(`  next: merkle jobs run ${slug} perspective --persona ${quoteName(read.persona_name)}`);
    return exitCodes.done;
  },
};

function quoteName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name}"`;
}

/** Returns the columns: the persona, the version that it read, the time, and whether the review is stale. */
function listColumns({ bold, dim, alarm }: Output): Column<Perspective>[] {
  return [
    { head: "Persona", cell: ({ persona_name }) => ({ text: toOneLine(persona_name), paint: bold }) },
    { head: "Read", cell: ({ source_version }) => (source_version === null ? "" : `v${source_version}`) },
    { head: "Made", cell: ({ made_at }) => ({ text: `${toAge(made_at)} ago`, paint: dim }) },
    {
      head: "State",
      widthMin: 12,
      cell: (each) => ({ text: describeStaleness(each), ...(each.stale && { paint: alarm }) }),
    },
  ];
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
