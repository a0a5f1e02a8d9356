import { readLines, readWhole } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";

/** The most of a file that is read whole; the feed and the versions are read line by line. */
const wholeBytesMax = 32 * 1024 * 1024;
const lineBytesMax = 4 * 1024 * 1024;

/** A file of a bundle that was verified; empty when it is not there. */
export async function readSmallFile(bundle: ZippedFiles, name: string): Promise<string> {
  const chunks = bundle.open(name);
  return chunks ? readWhole(chunks, wholeBytesMax) : "";
}

/** The lines of a file of a bundle that was verified, a few hundred at a time. */
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

/** A statement with so much to insert is done well within its time. */
const linesPerBatch = 500;
const charsPerBatch = 2 * 1024 * 1024;
