import type { Memory } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag, isSet, listFlagValues, splitList } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { toOneLine } from "../../text/one-line.js";
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
    limitFlag(limits.memoriesPageDefault, limits.memoriesPageMax),
    webFlag,
    { flags: "--forgotten", summary: "list forgotten memories (without a query)" },
  ],
  examples: [
    'merkle recall "rate limit"',
    "merkle recall token --tag auth --limit 5",
    "merkle recall --since 2026-01-31 --by Atlas",
    "merkle recall --forgotten",
  ],
  list: { operation: "list_memory", rows: "memories", added: ["marked"] },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const [query] = args;
    const tags = splitList(listFlagValues(flags, "tag"));
    const limit = readLimit(flags, limits.memoriesPageMax);
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
    if (isSet(flags, "web")) return openPage(context, broker, "/memory");
    const answer =
      query === undefined
        ? await broker.call("list_memory", { ...page, forgotten })
        : await broker.call("recall", { query, ...page });
    const { memories } = answer;
    const isFull = memories.length === (limit ?? limits.memoriesPageDefault);
    const hasMore =
      "next_cursor" in answer ? answer.next_cursor !== null : isFull && limit !== limits.memoriesPageMax;
    await showList<ListedMemory>(
      { value: answer, rows: memories, columns: listColumns(output), hasMore, empty: "no results" },
      context,
    );
    return exitCodes.done;
  },
};

type ListedMemory = Memory & { readonly marked?: string };

/** Returns the columns: id, text, source and tags. */
function listColumns({ bold, dim }: Output): Column<ListedMemory>[] {
  return [
    { head: "Memory", cell: ({ id }) => ({ text: id, paint: bold }) },
    { head: "Text", widthMin: 24, cell: ({ marked, content }) => toOneLine(marked ?? content) },
    {
      head: "By",
      widthMin: 20,
      isOptional: true,
      cell: (memory) => ({ text: formatSource(memory), paint: dim }),
    },
    { head: "Tags", widthMin: 12, isOptional: true, cell: ({ tags }) => tags.map(toOneLine).join(", ") },
    {
      head: "Forgotten",
      widthMin: 12,
      isOptional: true,
      cell: (memory) => ({ text: formatForgotten(memory), paint: dim }),
    },
  ];
}

function formatSource({ rememberedBy, session, rememberedAt }: Memory): string {
  const where = session === null ? "" : ` in ${session}`;
  return `${toOneLine(rememberedBy)}${where}, ${toMoment(rememberedAt)}`;
}

function formatForgotten({ forgotten }: Memory): string {
  return forgotten === null ? "" : `forgotten by ${toOneLine(forgotten.by)}: ${toOneLine(forgotten.reason)}`;
}
