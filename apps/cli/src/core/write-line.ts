import type { Writable } from "node:stream";

/**
 * Writes one line and resolves when the system has taken all of it: true, or false when nobody reads any more. Whoever
 * waits for it before the next never leaves more than one line half written, and none when it ends in between.
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
