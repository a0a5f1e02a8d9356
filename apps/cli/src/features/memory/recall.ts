import type { Memory } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag, isSet, listFlagValues, splitList } from "../../core/flags.js";
import { toOneLine } from "../../text/one-line.js";
import { formatTable } from "../../text/table.js";
import { toMoment } from "../../text/time.js";

export const recall: Command = {
  name: "recall",
  summary: "search memories, best match first (default: the newest)",
  arguments: [
    { name: "[query]", summary: 'search words; matches word forms, "quotes" for phrases, -word to exclude' },
  ],
  flags: [
    {
      flags: "--tag <tag>",
      summary: "only entries with this tag; repeat or use commas to require several",
      repeatable: true,
    },
    { flags: "--session <session>", summary: "only memories from this session" },
    { flags: "--by <name>", summary: "only memories by this team, peer or person" },
    {
      flags: "--since <date>",
      summary: "only entries from this day or time on: 2026-01-31, 2026-01-31T14:00",
    },
    { flags: "--limit <number>", summary: "maximum number of results, up to 100 (default: 20)" },
    { flags: "--forgotten", summary: "list forgotten memories (without a query)" },
  ],
  examples: [
    'merkle recall "rate limit"',
    "merkle recall token --tag auth --limit 5",
    "merkle recall --since 2026-01-31 --by Atlas",
    "merkle recall --forgotten",
  ],
  async run({ args: [query], flags, config, output, signal }) {
    const tags = splitList(listFlagValues(flags, "tag"));
    const limit = readWholeNumber(findFlag(flags, "limit"), "--limit", {
      min: 1,
      max: limits.memoriesPageMax,
    });
    const forgotten = isSet(flags, "forgotten");
    if (forgotten && query !== undefined)
      throw usageError(
        "--forgotten lists memories and cannot be combined with a query.",
        "merkle recall --forgotten",
      );
    const page = {
      tags: tags.length > 0 ? tags : undefined,
      session: findFlag(flags, "session"),
      by: findFlag(flags, "by"),
      since: findFlag(flags, "since"),
      limit,
    };
    const broker = await findBroker(config, signal);
    const answer =
      query === undefined
        ? await broker.call("list_memory", { ...page, forgotten })
        : await broker.call("recall", { query, ...page });
    if (output.json) output.show(answer, "");
    else if (answer.memories.length === 0) output.note("no results");
    else output.show(answer, formatMemories(answer.memories, output));
    return exitCodes.done;
  },
};

/** Returns one line per memory: id, text, source and tags. */
function formatMemories(
  memories: readonly (Memory & { readonly marked?: string })[],
  output: Output,
): string {
  const rows = memories.map((memory) => [
    { text: memory.id, paint: output.bold },
    { text: toOneLine(memory.marked ?? memory.content) },
    { text: formatSource(memory), paint: output.dim },
    { text: memory.tags.map(toOneLine).join(", ") },
    { text: formatForgotten(memory), paint: output.dim },
  ]);
  return formatTable(rows, {
    columns: output.columns,
    flexible: [[2, 20], [1, 24], [3, 12], 1],
    more: output.signs.more,
  });
}

function formatSource({ rememberedBy, session, rememberedAt }: Memory): string {
  const where = session === null ? "" : ` in ${session}`;
  return `${toOneLine(rememberedBy)}${where}, ${toMoment(rememberedAt)}`;
}

function formatForgotten({ forgotten }: Memory): string {
  return forgotten === null ? "" : `forgotten by ${toOneLine(forgotten.by)}: ${toOneLine(forgotten.reason)}`;
}
