import { ReadableStream, TransformStream } from "node:stream/web";
import type { Database } from "@merkle/db";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SealServices } from "../seal/feature.js";
import { readFeed } from "./log-lines.js";
import { markdownOf } from "./markdown.js";
import { inPage, type RecordPage, requirePage } from "./record-page.js";
import { type ExportForm, type Recorded, toRecordedMessage } from "./recorded.js";
import { writeBundle } from "./write-bundle.js";

/** A session's record as a file that is generated while the client downloads it. */
interface Exported {
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: ReadableStream<Uint8Array>;
}

/**
 * Starts exporting a session in its current state (EXPORT-1). Rows are read only as fast as the client
 * downloads them, and are exported as stored. Verifying the file shows whether the rows match the signed
 * record.
 */
export function exportSession(
  services: SealServices,
  source: { readonly session: SessionIdentity; readonly recorded: Recorded },
  form: ExportForm,
  page: RecordPage | null,
): Exported {
  const { slug } = source.session;
  switch (form) {
    case "bundle":
      return { fileName: `${slug}.zip`, contentType: "application/zip", bytes: zipped(services, source) };
    case "html":
      return {
        fileName: `${slug}.html`,
        contentType: "text/html; charset=utf-8",
        bytes: inPage(requirePage(page), zipped(services, source)),
      };
    case "md":
      return {
        fileName: `${slug}.md`,
        contentType: "text/markdown; charset=utf-8",
        bytes: encoded(markdownOf(services, source)),
      };
    case "ndjson":
      return {
        fileName: `${slug}.ndjson`,
        contentType: "application/x-ndjson",
        bytes: encoded(ndjsonOf(services.database, source)),
      };
  }
}

function zipped(
  services: SealServices,
  source: { readonly session: SessionIdentity; readonly recorded: Recorded },
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  // The client gets the error through the stream, so it never takes a partial file for complete.
  writeBundle(services, source, writable).catch((error) => writable.abort(error).catch(() => undefined));
  return readable;
}

function encoded(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  async function* encode(): AsyncGenerator<Uint8Array> {
    for await (const text of texts) yield Buffer.from(text);
  }
  return ReadableStream.from(encode()) as ReadableStream<Uint8Array>;
}

/** Yields the messages of a session, one per line, for programs that need only messages (EXPORT-5). */
async function* ndjsonOf(
  database: Pick<Database, "orm">,
  { session, recorded }: { readonly session: SessionIdentity; readonly recorded: Recorded },
): AsyncGenerator<string> {
  for await (const rows of readFeed(database, session.sessionId, recorded.size)) {
    yield rows.map((row) => `${JSON.stringify(toRecordedMessage(row, recorded.recordId))}\n`).join("");
  }
}
