import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag, listFlagValues, splitList } from "../../core/flags.js";
import { chooseProject } from "../../sessions/find-project.js";
import { formatEntries } from "./format-entries.js";

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
    { flags: "--limit <number>", summary: "maximum number of results, up to 100 (default: 20)" },
  ],
  examples: [
    "merkle progress search",
    "merkle progress search token --since 2026-01-31 --tag auth",
    'merkle progress search --text "rate limit" --project payments --json',
  ],
  async run({ args: [query], flags, config, io, output, signal }) {
    const projectId = await chooseProject(findFlag(flags, "project"), "merkle progress search", io);
    const tags = splitList(listFlagValues(flags, "tag"));
    const filters = {
      query,
      content: findFlag(flags, "text"),
      tags: tags.length > 0 ? tags : undefined,
      startDate: findFlag(flags, "since"),
      endDate: findFlag(flags, "until"),
      limit: readWholeNumber(findFlag(flags, "limit"), "--limit", { min: 1, max: limits.progressPageMax }),
    };
    const broker = await findBroker(config, signal);
    const answer = await broker.call("search_logs", { projectId, ...filters });
    const { entries, total } = answer;
    if (output.json) output.show(answer, "");
    else if (entries.length === 0) output.note(`nothing found in project ${projectId}`);
    else output.show(answer, formatEntries(entries, output));
    if (entries.length > 0 && entries.length < total)
      output.note(`  ${entries.length} of ${total}: --limit shows more`);
    return exitCodes.done;
  },
};
