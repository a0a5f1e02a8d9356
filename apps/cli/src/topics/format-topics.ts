import type { OutputOf, Topic } from "@merkle/wire";
import type { Output } from "../command/output.js";
import { counted } from "../duration.js";
import { indented, oneLine } from "../text/one-line.js";
import { formatTable } from "../text/table.js";
import { toMoment } from "../text/time.js";

/** One line for each topic: its number, how it stands, who opened it and when, and what it is about. */
export function formatTopics(topics: readonly Topic[], output: Output): string {
  const rows = topics.map((topic) => [
    { text: String(topic.topic_id), paint: output.bold },
    { text: stateOf(topic) },
    { text: oneLine(topic.opened_by) },
    { text: toMoment(topic.opened_at) },
    { text: counted(topic.messages_count, "message"), paint: output.dim },
    { text: oneLine(topic.title) },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: 5, more: output.signs.more });
}

/** What a topic is about, and all that was said in it. */
export function formatTopic(topic: OutputOf<"get_topic">, output: Output): string {
  const quote = topic.anchor === null ? "" : `\n${output.dim(indented(topic.anchor.quote))}`;
  const said = topic.messages.map(
    ({ by, at, text }) => `${output.bold(oneLine(by))}  ${output.dim(toMoment(at))}\n${indented(text)}`,
  );
  return [`${output.bold(`topic ${topic.topic_id}`)}  ${stateOf(topic)}${quote}`, ...said].join("\n\n");
}

/** `open`, where its words stand elsewhere by now `open, moved`, or why it was closed. */
function stateOf({ closed, place }: Topic): string {
  if (closed !== null) return closed.reason;
  return place === null || place.found === "exact" ? "open" : `open, ${place.found}`;
}
