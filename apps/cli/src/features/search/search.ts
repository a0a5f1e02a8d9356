import { type SearchHit, searchKinds } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { exitCodes } from "../../core/cli-error.js";
import { readOneOf, readWholeNumber } from "../../core/flag-values.js";
import { findFlag, listFlagValues, splitList } from "../../core/flags.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { formatTable } from "../../text/table.js";
import { toMoment } from "../../text/time.js";

export const search: Command = {
  name: "search",
  summary:
    "search messages, decisions, documents, memories, state, sessions, progress and comments, best match first",
  arguments: [
    { name: "<query>", summary: 'search words; matches word forms, "quotes" for phrases, -word to exclude' },
  ],
  flags: [
    { flags: "--session <session>", summary: "only in this session" },
    {
      flags: "--kind <message|decision|document|memory|session|state|progress|topic>",
      summary: "only this kind; repeat or use commas for several",
      repeatable: true,
    },
    { flags: "--limit <number>", summary: "maximum number of results, up to 50 (default: 20)" },
  ],
  examples: [
    'merkle search "staging key"',
    "merkle search token --session split-auth --kind decision",
    "merkle search rollout --kind memory,document --json",
  ],
  async run({ args: [query = ""], flags, config, output, signal }) {
    const kinds = splitList(listFlagValues(flags, "kind")).map((each) =>
      readOneOf(each, "--kind", searchKinds),
    );
    const limit = readWholeNumber(findFlag(flags, "limit"), "--limit", { min: 1, max: limits.searchHitsMax });
    const sessionName = findFlag(flags, "session");
    const broker = await findBroker(config, signal);
    const session = sessionName === undefined ? undefined : await getSession(broker, sessionName, config);
    const answer = await broker.call("search", {
      query,
      ...(kinds.length > 0 ? { kinds: kinds.filter((each) => each !== undefined) } : {}),
      ...(session === undefined ? {} : { session: session.session_id }),
      ...(limit === undefined ? {} : { limit }),
    });
    if (output.json) output.show(answer, "");
    else if (answer.hits.length === 0) output.note("no results");
    else output.show(answer, await formatHits(answer.hits, output));
    if (!answer.complete) output.note("older messages are still being indexed: search again later");
    return exitCodes.done;
  },
};

/** Returns one line per hit: kind, location, name, author, time and matching text. */
async function formatHits(hits: readonly SearchHit[], output: Output): Promise<string> {
  const rows = hits.map((hit) => [
    { text: hit.kind },
    { text: formatLocation(hit), paint: output.bold },
    { text: formatName(hit), paint: output.bold },
    { text: toOneLine(hit.marked) },
    {
      text: [hit.by === null ? "" : toOneLine(hit.by), toMoment(hit.at)].join(" ").trim(),
      paint: output.dim,
    },
  ]);
  return formatTable(rows, {
    columns: output.columns,
    flexible: [1, [4, 16], [2, 16], 3],
    more: output.signs.more,
  });
}

/** Returns the session, file or project in which the hit was found. */
function formatLocation({ session, source_path: file, project }: SearchHit): string {
  return toOneLine(project ?? session ?? file ?? "");
}

/**
 * Returns the hit's name within its session, file or project, for example `#405`, `v14`, `mem_12` or `owner`.
 */
function formatName({ memory_id, progress_id, topic_id, key, sequence, version }: SearchHit): string {
  if (topic_id !== null) return `topic ${topic_id}`;
  const part = sequence !== null ? `#${sequence}` : version !== null ? `v${version}` : "";
  return memory_id ?? progress_id ?? (key === null ? part : toOneLine(key));
}
