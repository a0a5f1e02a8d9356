import { PassThrough, type Readable } from "node:stream";
import type { ExportFormat } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import type { CommandContext } from "../command/command.js";
import { isSet } from "../core/flags.js";
import type { BrokerClient } from "./broker-client.js";

interface Download extends Pick<CommandContext, "flags" | "io" | "signal"> {
  readonly broker: Pick<BrokerClient, "download">;
  readonly path: string;
}

/**
 * Downloads a file from the broker, passes its bytes to `take` and shows the progress. Returns the number of
 * bytes.
 */
export async function download(
  { broker, path, ...context }: Download,
  consume: (bytes: Readable) => Promise<void>,
): Promise<number> {
  const progress = createProgressLine(context);
  let bytes = 0;
  const source = await broker.download(path);
  const stream = new PassThrough();
  source.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    progress.show(describeBytes(bytes));
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

/** A progress line on stderr, shown only at a terminal. */
interface ProgressLine {
  show(text: string): void;
  /** Removes the progress line. Can be called twice. */
  end(): void;
}

const updateIntervalMs = 100;

export function createProgressLine({
  flags,
  io: { stderr },
}: Pick<CommandContext, "flags" | "io">): ProgressLine {
  const isVisible = stderr.isTTY === true && !isSet(flags, "json") && !isSet(flags, "quiet");
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      if (!isVisible || performance.now() - shownAt < updateIntervalMs) return;
      shownAt = performance.now();
      stderr.write(`\r\x1b[K  ${text}`);
    },
    end() {
      if (isVisible && shownAt > 0) stderr.write("\r\x1b[K");
      shownAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Returns the path at which the broker exports a session. */
export function toExportPath(sessionId: string, format: ExportFormat): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}/export?as=${format}`;
}
