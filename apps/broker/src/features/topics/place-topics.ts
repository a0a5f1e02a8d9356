import {
  type AnchoredTopic,
  type AnchorLocation,
  type Database,
  keepSourceText,
  listTopicsToReanchor,
  type SourceColumns,
  saveTopicAnchor,
  type TextPoint,
} from "@merkle/db";
import type { SourcePathParts } from "@merkle/wire";
import { locateQuote, type ReanchoredSpan } from "@merkle/wire/document";
import { groupBy } from "../../core/group-by.js";
import type { WorkerPool } from "../../core/workers/workers.js";
import type { SourceServices } from "../sources/feature.js";
import { readFileText, toFile } from "../sources/feature.js";
import { reanchorTask } from "./reanchor-task.js";

/**
 * Updates the positions of a file's topics if the file has changed since the last update (SOURCE-12). The
 * broker is not notified of changes to files, so this runs when topics are listed.
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
  if ((await listTopicsToReanchor(orm, meshId, source, at)).length === 0) return;
  // The text is stored because the next search compares the file's new text with it.
  await keepSourceText(orm, { meshId, ...file, hash, content: text });
  await placeTopics({ database, workers }, meshId, {
    source,
    at,
    text,
    readEarlier: async ({ hash: earlier }) =>
      earlier === null ? null : readFileText(services, file, earlier),
  });
}

/** A source's current text, with access to its earlier texts. */
interface SourceText {
  readonly source: SourceColumns;
  readonly at: TextPoint;
  readonly text: string;
  /** Returns the text in which a position was last found, or null if it is no longer stored. */
  readEarlier(at: TextPoint): Promise<string | null>;
}

/**
 * Finds the positions of all open topics in the current text of a source and stores the results (ANCHOR-6).
 * Each search starts from the text in which the topic was last found with certainty. Returns how many topics
 * were searched for.
 */
export async function placeTopics(
  { database, workers }: { readonly database: Pick<Database, "orm">; readonly workers: WorkerPool },
  meshId: string,
  { source, at, text, readEarlier }: SourceText,
): Promise<number> {
  const topics = await listTopicsToReanchor(database.orm, meshId, source, at);
  const byText = groupBy(topics, ({ placeAtVersion, placeAtHash }) => placeAtHash ?? String(placeAtVersion));
  for (const group of byText.values()) {
    const [first] = group;
    if (!first) continue;
    const before = await readEarlier(toTextPoint(first));
    const answers =
      before === null
        ? group.map((topic) => findByQuote(topic, text))
        : await workers.run(reanchorTask, { before, after: text, anchors: group.map(toAnchored) });
    for (const [index, topic] of group.entries()) {
      await saveTopicAnchor(database.orm, topic, at, toFoundPlace(topic, answers[index] ?? null, text));
    }
  }
  return topics.length;
}

function toTextPoint({ placeAtVersion, placeAtHash }: AnchoredTopic): TextPoint {
  return placeAtHash === null
    ? { version: placeAtVersion ?? 0, hash: null }
    : { version: null, hash: placeAtHash };
}

function toAnchored({ quote, startAt, endAt }: AnchoredTopic) {
  return { quote, start: startAt, end: endAt };
}

/** Finds a passage without the earlier text. The quote and its context must occur exactly once. */
function findByQuote({ quote, prefix, suffix }: AnchoredTopic, text: string): ReanchoredSpan | null {
  const span = locateQuote(text, { quote, prefix, suffix });
  return "start" in span ? { ...span, how: "moved" } : null;
}

/**
 * Returns the position to store. A topic that has already moved stays "moved", and a passage that equals the
 * quote is never "reworded".
 */
function toFoundPlace(
  { quote, found }: AnchoredTopic,
  answer: ReanchoredSpan | null,
  text: string,
): AnchorLocation {
  if (!answer) return { found: "lost" };
  const { start, end, how } = answer;
  if (text.slice(start, end) !== quote) return { found: "reworded", start, end };
  return { found: how === "moved" || found === "moved" ? "moved" : "exact", start, end };
}
