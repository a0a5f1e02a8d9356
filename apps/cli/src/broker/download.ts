import { PassThrough, type Readable } from "node:stream";
import type { ExportFormat } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import type { CommandContext } from "../command/command.js";
import { createProgressLine } from "../command/progress.js";
import type { BrokerClient } from "./broker-client.js";

interface Download extends Pick<CommandContext, "flags" | "io" | "signal"> {
  readonly broker: Pick<BrokerClient, "download">;
  readonly path: string;
  /** The file's content, for the progress line, such as `412 messages`. */
  readonly what: string;
}

/**
 * Downloads a file from the broker, passes its bytes to `take` and shows the progress. Returns the number of
 * bytes.
 */
export async function download(
  { broker, path, what, ...context }: Download,
  consume: (bytes: Readable) => Promise<void>,
): Promise<number> {
  const progress = createProgressLine(context);
  let bytes = 0;
  const source = await broker.download(path);
  const length = Number(source.headers["content-length"]);
  const total = Number.isFinite(length) ? length : null;
  const stream = new PassThrough();
  source.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    progress.show({ name: `receiving ${what}`, done: bytes, total, format: describeBytes });
  });
  // Without this handler, an interrupted download would look complete.
  source.on("error", (error) => stream.destroy(error));
  try {
    await consume(source.pipe(stream));
  } finally {
    progress.end();
    source.destroy();
  }
  return bytes;
}

/** Returns the path at which the broker exports a session. */
export function toExportPath(sessionId: string, format: ExportFormat): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}/export?as=${format}`;
}
