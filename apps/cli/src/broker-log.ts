import { chmodSync, closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** The file that a broker's log goes to. */
export interface BrokerLog {
  /** Writes before it returns, so that the last words of a process that ends are in the file. */
  write(line: string): void;
  close(): void;
}

const rotateAboveBytes = 10 * 1024 * 1024;

/**
 * A log that only its owner can read. The file is opened by the first line, which a broker writes when the home is its
 * own: one that is refused the home does not touch the log of the one that has it. What cannot be written (a full
 * disk) is left out, and tried again with the next line; no broker ends because of its log.
 *
 * @param echo - gets each line too
 */
export function createBrokerLog(path: string, echo?: (line: string) => void): BrokerLog {
  let file: number | undefined;
  return {
    write(line) {
      echo?.(line);
      try {
        file ??= openLog(path);
        writeSync(file, `${line}\n`);
      } catch {
        // As promised above.
      }
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** A large log is put aside first, in place of the one that was put aside before. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && found.size > rotateAboveBytes) renameSync(path, `${path}.1`);
  else if (found) chmodSync(path, 0o600);
  return openSync(path, "a", 0o600);
}
