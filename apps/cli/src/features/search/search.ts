import { type SearchHit, type SearchKind, searchKinds } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { readOneOf } from "../../core/flag-values.js";
import { findFlag, isSet, listFlagValues, splitList } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { toMoment } from "../../text/time.js";

/** How many hits the broker returns unless the call names a limit. */
const hitsUsual = 20;

export const search: Command = {
  name: "search",
  summary:
    "search messages, decisions, documents, tasks, memories, state, sessions, progress and comments, best match first",
  arguments: [
    {
      name: "[query]",
      summary:
        'search words; matches word forms, "quotes" for phrases, -word to exclude (default: the newest of --kind)',
    },
  ],
  flags: [
    { flags: "--session <session>", summary: "only in this session" },
    {
      flags: "--kind <message|decision|document|task|memory|session|state|progress|topic>",
      summary: "only this kind; repeat or use commas for several",
      repeatable: true,
    },
    limitFlag(hitsUsual, limits.searchHitsMax),
    webFlag,
  ],
  examples: [
    'merkle search "staging key"',
    "merkle search token --session split-auth --kind decision",
    "merkle search --kind decision",
    "merkle search rollout --kind memory,document --json",
  ],
  list: { operation: "search", rows: "hits" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const [query = ""] = args;
    const kinds = splitList(listFlagValues(flags, "kind"))
      .map((each) => readOneOf(each, "--kind", searchKinds))
      .filter((each) => each !== undefined);
    if (query.trim() === "" && kinds.length === 0 && !isSet(flags, "web"))
      throw usageError("Give words to search for, or --kind to list the newest of a kind.");
    const limit = readLimit(flags, limits.searchHitsMax);
    const sessionName = findFlag(flags, "session");
    const broker = await findBroker(config, signal);
    const session = sessionName === undefined ? undefined : await getSession(broker, sessionName, config);
    if (isSet(flags, "web")) return openPage(context, broker, toPagePath(query, kinds));
    const answer = await broker.call("search", {
      query,
      ...(kinds.length > 0 ? { kinds } : {}),
      ...(session === undefined ? {} : { session: session.session_id }),
      ...(limit === undefined ? {} : { limit }),
    });
    const { hits } = answer;
    const hasMore = hits.length === (limit ?? hitsUsual) && limit !== limits.searchHitsMax;
    await showList(
      { value: answer, rows: hits, columns: listColumns(output), hasMore, empty: "no results" },
      context,
    );
    if (!answer.complete) output.note("older messages are still being indexed: search again later");
    return exitCodes.done;
  },
};

function toPagePath(query: string, kinds: readonly SearchKind[]): string {
  const kindParam = kinds.length === 0 ? "" : `&kinds=${kinds.join(",")}`;
  return `/search?q=${encodeURIComponent(query)}${kindParam}`;
}

/** Returns the columns: kind, location, name, matching text, time and author. */
function listColumns({ bold, dim }: Output): Column<SearchHit>[] {
  return [
    { head: "Kind", cell: ({ kind }) => kind },
    { head: "Where", cell: (hit) => ({ text: formatLocation(hit), paint: bold }) },
    { head: "Name", cell: (hit) => ({ text: formatName(hit), paint: bold }) },
    { head: "Text", widthMin: 16, cell: ({ marked }) => toOneLine(marked) },
    { head: "Time", isOptional: true, cell: ({ at }) => ({ text: toMoment(at), paint: dim }) },
    {
      head: "By",
      widthMin: 16,
      isOptional: true,
      cell: ({ by }) => ({ text: by === null ? "" : toOneLine(by), paint: dim }),
    },
  ];
}

/** Returns the session, file or project in which the hit was found. */
function formatLocation({ session, source_path: file, project }: SearchHit): string {
  return toOneLine(project ?? session ?? file ?? "");
}

/**
 * Returns the hit's name within its session, file or project, for example `#405`, `v14`, `task 7`, `mem_12` or `owner`.
 */
function formatName({ task, memory_id, progress_id, topic_id, key, sequence, version }: SearchHit): string {
  if (task !== null) return `task ${task}`;
  if (topic_id !== null) return `topic ${topic_id}`;
  const part = sequence !== null ? `#${sequence}` : version !== null ? `v${version}` : "";
  return memory_id ?? progress_id ?? (key === null ? part : toOneLine(key));
}
