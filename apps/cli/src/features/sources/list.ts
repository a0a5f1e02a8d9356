import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { toOneLine } from "../../text/one-line.js";

export const sourceList: Command = {
  name: "source list",
  summary: "list the Git files that agents can work on, and problems with their roots",
  arguments: [{ name: "[query]", summary: "only files whose path contains this text, case-insensitive" }],
  flags: [limitFlag(limits.sourcesListedDefault, limits.sourcesListedMax), webFlag],
  examples: ["merkle source list", "merkle source list guide", "merkle source list guide --json source_path"],
  list: { operation: "list_sources", rows: "files" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const [query] = args;
    const limit = readLimit(flags, limits.sourcesListedMax);
    const broker = await findBroker(config, signal);
    if (isSet(flags, "web")) return openPage(context, broker, "/sources");
    const answer = await broker.call("list_sources", { query, limit });
    const { roots, files } = answer;
    const isEmpty = roots.length === 0;
    await showList(
      {
        value: answer,
        rows: files,
        columns,
        hasMore: answer.has_more,
        rest: "narrow them by part of the path",
        empty: isEmpty ? "  no roots: set agent.roots in the broker's config.json" : "  no files",
      },
      context,
    );
    for (const { root, problem } of roots) {
      if (problem !== null) output.note(`  root ${root}: ${toOneLine(problem)}`);
    }
    if (!isEmpty && !answer.can_commit) {
      output.note("  nothing can be accepted: agent.author_name and agent.author_email are not configured");
    }
    return exitCodes.done;
  },
};

type ListedFile = OutputOf<"list_sources">["files"][number];

const columns: readonly Column<ListedFile>[] = [
  { head: "File", cell: ({ source_path }) => toOneLine(source_path) },
];
