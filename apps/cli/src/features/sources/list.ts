import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag } from "../../core/flags.js";
import { toOneLine } from "../../text/one-line.js";

export const sourceList: Command = {
  name: "source list",
  summary: "list the Git files that agents can work on, and problems with their roots",
  arguments: [{ name: "[query]", summary: "only files whose path contains this text, case-insensitive" }],
  flags: [{ flags: "--limit <number>", summary: "maximum number of results (default: 500)" }],
  examples: ["merkle source list", "merkle source list guide", "merkle source list guide --json"],
  async run({ args: [query], flags, config, output, signal }) {
    const limit = readWholeNumber(findFlag(flags, "limit"), "--limit", {
      min: 1,
      max: limits.sourcesListedMax,
    });
    const broker = await findBroker(config, signal);
    const answer = await broker.call("list_sources", { query, limit });
    const { roots, files } = answer;
    if (output.json || files.length > 0) {
      output.show(answer, files.map(({ source_path }) => toOneLine(source_path)).join("\n"));
    }
    for (const { root, problem } of roots) {
      if (problem !== null) output.note(`  root ${root}: ${toOneLine(problem)}`);
    }
    if (roots.length === 0) output.note("  no roots: set agent.roots in the broker's config.json");
    else if (files.length === 0) output.note("  no files");
    else if (answer.has_more) output.note("  there are more: narrow them by part of the path");
    if (roots.length > 0 && !answer.can_commit) {
      output.note("  nothing can be accepted: agent.author_name and agent.author_email are not configured");
    }
    return exitCodes.done;
  },
};
