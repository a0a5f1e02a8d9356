import type { Command } from "../command/command.js";
import { isSet, listOf, textOf } from "../command/flags.js";
import { exitCodes } from "../core/cli-error.js";

export const recall: Command = {
  name: "recall",
  summary: "search what was remembered, the best match first; without a query the newest",
  arguments: [
    { name: "[query]", summary: 'words, found by their stem; "quoted" ones together, -word leaves out' },
  ],
  flags: [
    {
      flags: "--tag <tag>",
      summary: "only those with this tag; again or with commas: with all",
      repeatable: true,
    },
    { flags: "--limit <number>", summary: "at most so many; 20 unless told, 100 at most" },
    { flags: "--forgotten", summary: "without a query: those that were forgotten" },
  ],
  examples: [
    'merkle recall "rate limit"',
    "merkle recall token --tag auth --limit 5",
    "merkle recall --forgotten",
  ],
  async run({ args: [query], flags, config, output, signal }) {
    const { limits } = await import("@merkle/wire/plain");
    const { usageError } = await import("../core/cli-error.js");
    const { findBroker } = await import("../broker/broker-client.js");
    const { formatMemories } = await import("../memory/format-memories.js");
    const { splitList } = await import("../split-list.js");
    const { readWholeNumber } = await import("../whole-number.js");
    const tags = splitList(listOf(flags, "tag"));
    const limit = readWholeNumber(textOf(flags, "limit"), "--limit", { min: 1, max: limits.memoriesPageMax });
    const forgotten = isSet(flags, "forgotten");
    if (forgotten && query !== undefined)
      throw usageError("What is forgotten is listed, not searched.", "merkle recall --forgotten");
    const page = { ...(tags.length > 0 ? { tags } : {}), ...(limit === undefined ? {} : { limit }) };
    const broker = await findBroker(config, signal);
    const found =
      query === undefined
        ? await broker.call("list_memory", { ...page, forgotten })
        : await broker.call("recall", { query, ...page });
    if (output.json) output.show(found, "");
    else if (found.memories.length === 0) output.note("nothing found");
    else output.show(found, formatMemories(found.memories, output));
    return exitCodes.done;
  },
};
