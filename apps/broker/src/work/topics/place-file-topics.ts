import { keepSourceText, listTopicsToPlace } from "@merkle/db";
import type { SourcePathParts } from "@merkle/wire";
import { readFileText } from "../sources/file-text.js";
import { toFile } from "../sources/require-source-path.js";
import { placeTopics } from "./place-topics.js";
import type { TopicServices } from "./services.js";

/**
 * Finds the places of a file's topics again where its text is another one than they were found in (SOURCE-12). Nobody tells of a
 * file that changes, so whoever lists them looks.
 */
export async function placeFileTopics(
  services: Pick<TopicServices, "database" | "sources" | "workers">,
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
