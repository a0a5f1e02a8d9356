import { ReadableStream, TransformStream } from "node:stream/web";
import type { Database } from "@merkle/db";
import type { ExportFormat } from "@merkle/wire";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SealServices } from "../seal/feature.js";
import { type ExportedRecord, toRecordedMessage } from "./exported-record.js";
import { readFeed } from "./log-lines.js";
import { formatMarkdown } from "./markdown.js";
import { embedInPage, type RecordPage, requirePage } from "./record-page.js";
import { writeBundle } from "./write-bundle.js";

/** A session's record as a file that is generated while the client downloads it. */
interface ExportFile {
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
  source: { readonly session: SessionIdentity; readonly recorded: ExportedRecord },
  format: ExportFormat,
  page: RecordPage | null,
): ExportFile {
  const { slug } = source.session;
  switch (format) {
    case "bundle":
      return {
        fileName: `${slug}.zip`,
        contentType: "application/zip",
        bytes: createZipStream(services, source, true),
      };
    case "html":
      return {
        fileName: `${slug}.html`,
        contentType: "text/html; charset=utf-8",
        // A page is opened in memory as a whole, so it does not contain the bytes of files.
        bytes: embedInPage(requirePage(page), createZipStream(services, source, false)),
      };
    case "md":
      return {
        fileName: `${slug}.md`,
        contentType: "text/markdown; charset=utf-8",
        bytes: encodeStream(formatMarkdown(services, source)),
      };
    case "ndjson":
      return {
        fileName: `${slug}.ndjson`,
        contentType: "application/x-ndjson",
        bytes: encodeStream(formatNdjson(services.database, source)),
      };
  }
}

function createZipStream(
  services: SealServices,
  source: { readonly session: SessionIdentity; readonly recorded: ExportedRecord },
  withAttachments: boolean,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  // The client gets the error through the stream, so it never takes a partial file for complete.
  writeBundle(services, source, { to: writable, withAttachments }).catch((error) =>
    writable.abort(error).catch(() => undefined),
  );
  return readable;
}

function encodeStream(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  async function* encode(): AsyncGenerator<Uint8Array> {
    for await (const text of texts) yield Buffer.from(text);
  }
  return ReadableStream.from(encode()) as ReadableStream<Uint8Array>;
}

/** Yields the messages of a session, one per line, for programs that need only messages (EXPORT-5). */
async function* formatNdjson(
  database: Pick<Database, "orm">,
  { session, recorded }: { readonly session: SessionIdentity; readonly recorded: ExportedRecord },
): AsyncGenerator<string> {
  for await (const rows of readFeed(database, session.sessionId, recorded.size)) {
    yield rows.map((row) => `${JSON.stringify(toRecordedMessage(row, recorded.recordId))}\n`).join("");
  }
}
