import {
  type Database,
  type FoundPlace,
  keepSourceText,
  listTopicsToPlace,
  type PlacedTopic,
  type SourceColumns,
  saveTopicPlace,
  type TextPoint,
} from "@merkle/db";
import type { SourcePathParts } from "@merkle/wire";
import { locateQuote, type Reanchored } from "@merkle/wire/text";
import { groupBy } from "../../core/group-by.js";
import type { Workers } from "../../core/workers/workers.js";
import type { SourceServices } from "../sources/feature.js";
import { readFileText, toFile } from "../sources/feature.js";
import { reanchorTask } from "./reanchor-task.js";

/**
 * Finds the places of a file's topics again where its text is another one than they were found in (SOURCE-12). Nobody tells of a
 * file that changes, so whoever lists them looks.
 */
export async function placeFileTopics(
  services: Pick<SourceServices, "database" | "sources" | "workers">,
  file: SourcePathParts,
): Promise<void> {
  const { database, sources, workers } = services;
  const { orm, meshId } = database;
  const { text, hash } = await sources.open(file);
  const at = { version: null, hash };
  const source = toFile(file);
  if ((await listTopicsToPlace(orm, meshId, source, at)).length === 0) return;
  // Where a place is found in it, the next text is compared with this one.
  await keepSourceText(orm, { meshId, ...file, hash, content: text });
  await placeTopics({ database, workers }, meshId, {
    source,
    at,
    text,
    readEarlier: async ({ hash: earlier }) =>
      earlier === null ? null : readFileText(services, file, earlier),
  });
}

/** A source as it is now, and how its earlier texts are read. */
interface SourceText {
  readonly source: SourceColumns;
  readonly at: TextPoint;
  readonly text: string;
  /** The text that something was found in earlier; null when it is there no more. */
  readEarlier(at: TextPoint): Promise<string | null>;
}

/**
 * Looks for the places of all open topics of a source in its text as it now is, each from the text in which it was found for
 * certain the last time, and stores what came of it (ANCHOR-6). Returns how many places were looked for.
 */
export async function placeTopics(
  { database, workers }: { readonly database: Pick<Database, "orm">; readonly workers: Workers },
  meshId: string,
  { source, at, text, readEarlier }: SourceText,
): Promise<number> {
  const topics = await listTopicsToPlace(database.orm, meshId, source, at);
  const byText = groupBy(topics, ({ placeAtVersion, placeAtHash }) => placeAtHash ?? String(placeAtVersion));
  for (const group of byText.values()) {
    const [first] = group;
    if (!first) continue;
    const before = await readEarlier(pointOf(first));
    const answers =
      before === null
        ? group.map((topic) => findByQuote(topic, text))
        : await workers.run(reanchorTask, { before, after: text, anchors: group.map(toAnchored) });
    for (const [index, topic] of group.entries()) {
      await saveTopicPlace(database.orm, topic, at, toFound(topic, answers[index] ?? null, text));
    }
  }
  return topics.length;
}

function pointOf({ placeAtVersion, placeAtHash }: PlacedTopic): TextPoint {
  return placeAtHash === null
    ? { version: placeAtVersion ?? 0, hash: null }
    : { version: null, hash: placeAtHash };
}

function toAnchored({ quote, startAt, endAt }: PlacedTopic) {
  return { quote, start: startAt, end: endAt };
}

/** Where nothing is known of the earlier text but the quote, it must stand once with all that was around it. */
function findByQuote({ quote, prefix, suffix }: PlacedTopic, text: string): Reanchored | null {
  const place = locateQuote(text, { quote, prefix, suffix });
  return "start" in place ? { ...place, how: "moved" } : null;
}

/** A place that was once moved is so for good, and one that reads as it was quoted is not reworded. */
function toFound({ quote, found }: PlacedTopic, answer: Reanchored | null, text: string): FoundPlace {
  if (!answer) return { found: "lost" };
  const { start, end, how } = answer;
  if (text.slice(start, end) !== quote) return { found: "reworded", start, end };
  return { found: how === "moved" || found === "moved" ? "moved" : "exact", start, end };
}
