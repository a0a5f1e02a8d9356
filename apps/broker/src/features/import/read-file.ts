import { readLines, readWhole } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";

/**
 * Maximum size of a file that is read in one piece. The feed and the document versions are read line by line
 * instead.
 */
const wholeBytesMax = 32 * 1024 * 1024;
const lineBytesMax = 4 * 1024 * 1024;

/** Reads a file of a verified bundle. Returns an empty string if the file is missing. */
export async function readSmallFile(bundle: ZippedFiles, name: string): Promise<string> {
  const chunks = bundle.open(name);
  return chunks ? readWhole(chunks, wholeBytesMax) : "";
}

/** Yields the lines of one file in a verified bundle, in batches of a few hundred lines. */
export async function* readLinesOf<Line>(
  bundle: ZippedFiles,
  name: string,
  parse: (line: string) => Line,
): AsyncGenerator<readonly Line[]> {
  const chunks = bundle.open(name);
  if (!chunks) return;
  let batch: Line[] = [];
  let chars = 0;
  for await (const text of readLines(chunks, lineBytesMax)) {
    batch.push(parse(text));
    chars += text.length;
    if (batch.length < linesPerBatch && chars < charsPerBatch) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Small enough that each INSERT stays well within the statement timeout. */
const linesPerBatch = 500;
const charsPerBatch = 2 * 1024 * 1024;
