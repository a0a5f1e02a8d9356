import type { ProgressEntry } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag, isSet, listFlagValues, splitList } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { chooseProject } from "../../sessions/find-project.js";
import { toOneLine } from "../../text/one-line.js";
import { toMoment } from "../../text/time.js";
import { formatAuthor } from "./format-entries.js";

export const progressSearch: Command = {
  name: "progress search",
  summary: "list finished work of a project, newest first, optionally by title",
  arguments: [{ name: "[query]", summary: "part of the title, case-insensitive" }],
  flags: [
    { flags: "--project <name>", summary: "project name (default: the repository's name)" },
    { flags: "--text <words>", summary: "only entries with these words in title or text" },
    {
      flags: "--tag <tag>",
      summary: "only entries with this tag; repeat or use commas to require several",
      repeatable: true,
    },
    {
      flags: "--since <date>",
      summary: "only entries from this day or time on: 2026-01-31, 2026-01-31T14:00",
    },
    { flags: "--until <date>", summary: "only entries up to this day" },
    limitFlag(limits.progressPageDefault, limits.progressPageMax),
    webFlag,
  ],
  examples: [
    "merkle progress search",
    "merkle progress search token --since 2026-01-31 --tag auth",
    'merkle progress search --text "rate limit" --project payments --json',
  ],
  list: { operation: "search_logs", rows: "entries" },
  async run(context) {
    const { args, flags, config, io, output, signal } = context;
    const [query] = args;
    const projectId = await chooseProject(findFlag(flags, "project"), "merkle progress search", io);
    const tags = splitList(listFlagValues(flags, "tag"));
    const filters = {
      query,
      content: findFlag(flags, "text"),
      tags: tags.length > 0 ? tags : undefined,
      startDate: findFlag(flags, "since"),
      endDate: findFlag(flags, "until"),
      limit: readLimit(flags, limits.progressPageMax),
    };
    const broker = await findBroker(config, signal);
    if (isSet(flags, "web")) return openPage(context, broker, "/progress");
    const answer = await broker.call("search_logs", { projectId, ...filters });
    await showList(
      {
        value: answer,
        rows: answer.entries,
        columns: listColumns(output),
        total: answer.total,
        empty: `nothing found in project ${projectId}`,
      },
      context,
    );
    return exitCodes.done;
  },
};

/** Returns the columns: time, title, author, tags and id. */
function listColumns({ bold, dim }: Output): Column<ProgressEntry>[] {
  return [
    {
      head: "Logged",
      isOptional: true,
      cell: ({ createdAt }) => ({ text: toMoment(createdAt), paint: dim }),
    },
    { head: "Title", widthMin: 12, cell: ({ title }) => toOneLine(title) },
    {
      head: "By",
      widthMin: 16,
      isOptional: true,
      cell: (entry) => ({ text: formatAuthor(entry), paint: dim }),
    },
    { head: "Tags", widthMin: 8, isOptional: true, cell: ({ tags }) => tags.map(toOneLine).join(", ") },
    { head: "Entry", cell: ({ id }) => ({ text: id, paint: bold }) },
  ];
}
