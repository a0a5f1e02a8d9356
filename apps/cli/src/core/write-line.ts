import type { Writable } from "node:stream";

/**
 * Writes one line. Resolves with true once the system has accepted the line, or with false if the reader has
 * closed the stream. If a caller awaits each line, at most one line is incomplete after an interruption.
 */
export function writeLine(line: string, stream: Writable): Promise<boolean> {
  return new Promise((resolve, reject) => {
    stream.write(`${line}\n`, (error) => {
      if (!error) resolve(true);
      else if (isClosedPipe(error)) resolve(false);
      else reject(error);
    });
  });
}

function isClosedPipe(error: Error): boolean {
  return "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED");
}
