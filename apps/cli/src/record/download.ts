import { PassThrough, type Readable } from "node:stream";
import { describeBytes } from "@merkle/wire/text";
import type { BrokerClient } from "../broker/broker-client.js";
import { type Flags, isSet } from "../command/flags.js";

interface Download {
  readonly broker: Pick<BrokerClient, "download">;
  readonly path: string;
  readonly flags: Flags;
  readonly signal: AbortSignal;
}

/** Gives a file of the broker's to whoever takes it, shows how far that is, and returns how many bytes there were. */
export async function download(
  { broker, path, flags }: Download,
  take: (bytes: Readable) => Promise<void>,
): Promise<number> {
  const progress = progressLine(flags);
  let bytes = 0;
  const source = await broker.download(path);
  const counted = new PassThrough();
  source.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    progress.show(describeBytes(bytes));
  });
  // A source that breaks off must not look like one that ended.
  source.on("error", (error) => counted.destroy(error));
  try {
    await take(source.pipe(counted));
  } finally {
    progress.end();
    source.destroy();
  }
  return bytes;
}

/** One line on stderr that says how far something is, for a person who looks at a terminal; for others nothing. */
interface ProgressLine {
  show(text: string): void;
  /** Removes the line. May be called twice. */
  end(): void;
}

const everyMs = 100;

export function progressLine(flags: Flags, stderr: NodeJS.WriteStream = process.stderr): ProgressLine {
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
