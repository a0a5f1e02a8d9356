import { insertTopic, insertTopicMessage } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { contextOf, locateQuote } from "@merkle/wire/anchors";
import type { MeshContext } from "../../sessions/context.js";
import { keepFileText, readFileText } from "../sources/file-text.js";
import { requireSourcePath, toFile } from "../sources/require-source-path.js";
import { refuseTooManyOpen } from "./refuse-too-many-open.js";
import type { TopicServices } from "./services.js";
import { topicAuthorOf } from "./topic-author.js";
import { toTopic } from "./topic-output.js";
import { topicTitle } from "./topic-title.js";

type Input = ParsedInputOf<"open_topic">;

/**
 * Opens a topic at a place of a file, or about all of it (SOURCE-11). The text that it was opened on is kept.
 *
 * @throws conflict, with the current hash, when that is not the file's text, or what it is about does not stand there
 */
export async function openFileTopic(
  ctx: MeshContext<TopicServices>,
  { source_path, source_sha }: { readonly source_path: string; readonly source_sha: string },
  input: Input,
): Promise<OutputOf<"open_topic">> {
  const { services } = ctx;
  const { meshId } = services.database;
  const file = requireSourcePath(source_path);
  const source = toFile(file);
  const by = await topicAuthorOf(ctx, null);
  const text = await readFileText(services, file, source_sha);
  if (text === null) {
    const { hash } = await services.sources.open(file);
    throw isOther(source_path, "is not what you have read any more", hash);
  }
  const anchor = findAnchor(text, input, { source_path, source_sha });

  return ctx.write(async ({ tx, afterCommit }) => {
    await keepFileText(tx, services, file, { hash: source_sha, text });
    const opened = await insertTopic(tx, {
      meshId,
      source,
      title: topicTitle(input.text),
      openedBy: by.author,
      madeAt: { version: null, hash: source_sha },
      anchor,
    });
    await refuseTooManyOpen(services, tx, source);
    const topic = await insertTopicMessage(tx, opened, { ...by, text: input.text });
    afterCommit(() => services.mesh.announce("topics", null));
    return toTopic(services, topic);
  });
}

function findAnchor(
  text: string,
  { quote, ...marked }: Input,
  { source_path, source_sha }: { readonly source_path: string; readonly source_sha: string },
) {
  if (quote === undefined) return null;
  const place = locateQuote(text, { ...marked, quote });
  if ("start" in place) return { quote, ...contextOf(text, place), ...place };
  if (place.matches === 0)
    throw isOther(source_path, "does not hold the quote in what you have read", source_sha);
  throw new MerkleError(
    "bad_request",
    `The quote stands in ${source_path} ${place.matches} times. Quote more of it, so that it is found once, or say where it begins (start).`,
    { matches: place.matches },
  );
}

function isOther(source_path: string, how: string, current_sha: string): MerkleError {
  return new MerkleError("conflict", `${source_path} ${how}. Read it again (read_source).`, {
    source_path,
    current_sha,
  });
}
