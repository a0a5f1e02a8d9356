import { PassThrough, type Readable } from "node:stream";
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
  take: (bytes: Readable) => Promise<void>,
): Promise<number> {
  const progress = progressLine(context);
  let bytes = 0;
  const source = await broker.download(path);
  const counted = new PassThrough();
  source.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    progress.show(describeBytes(bytes));
  });
  // Without this handler, an interrupted download would look complete.
  source.on("error", (error) => counted.destroy(error));
  try {
    await take(source.pipe(counted));
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

const everyMs = 100;

export function progressLine({ flags, io: { stderr } }: Pick<CommandContext, "flags" | "io">): ProgressLine {
  const isSeen = stderr.isTTY === true && !isSet(flags, "json") && !isSet(flags, "quiet");
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      if (!isSeen || performance.now() - shownAt < everyMs) return;
      shownAt = performance.now();
      stderr.write(`\r\x1b[K  ${text}`);
    },
    end() {
      if (isSeen && shownAt > 0) stderr.write("\r\x1b[K");
      shownAt = Number.NEGATIVE_INFINITY;
    },
  };
}

export const exportForms = ["bundle", "html", "md", "ndjson"] as const;

type ExportForm = (typeof exportForms)[number];

/** Returns the path at which the broker exports a session. */
export function exportPath(sessionId: string, form: ExportForm): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}/export?as=${form}`;
}
