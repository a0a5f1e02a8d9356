import type { Writable } from "node:stream";

/**
 * Writes one line. Resolves with true once the system has accepted it, or with false if the reader has closed
 * the stream. A caller that awaits each line leaves at most one line incomplete if it is interrupted.
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
