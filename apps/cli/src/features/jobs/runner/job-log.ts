import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** A job's log file, which contains the stderr of the job's agent. */
export interface JobLog {
  write(piece: Buffer): void;
  close(): Promise<void>;
}

const bytesMax = 10 * 1024 * 1024;
/** The maximum number of logs in the folder. The oldest are deleted. */
const filesMax = 100;

/**
 * Opens a job's log, which only its owner can read. The log contains the first 10 MiB of output. Secrets are
 * replaced, even if a secret is split between two writes. If the disk is full, the log is lost but the job
 * continues.
 */
export async function openJobLog(folder: string, label: string, secrets: readonly string[]): Promise<JobLog> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
  await removeOldest(folder).catch(() => undefined);
  const file = createWriteStream(join(folder, `${label}.log`), { mode: 0o600 });
  let left = bytesMax;
  file.on("error", () => {
    left = 0;
  });
  const filter = createSecretFilter(secrets);

  function put(bytes: Buffer): void {
    if (left <= 0 || bytes.length === 0) return;
    file.write(bytes.subarray(0, left));
    left -= bytes.length;
    if (left <= 0) file.write(`\n(output after the first ${bytesMax} bytes is omitted)\n`);
  }

  return {
    // Output beyond the limit is dropped without being searched for secrets, because a search would only take
    // time.
    write: (piece) => left > 0 && put(filter.next(piece)),
    close: () =>
      new Promise((resolve) => {
        put(filter.rest());
        file.once("close", resolve);
        file.end();
      }),
  };
}

async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^[\w-]+\.log$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  );
  const old = files.sort((one, other) => other.at - one.at).slice(filesMax - 1);
  await Promise.all(old.map(({ path }) => rm(path, { force: true })));
}

/**
 * Creates a filter that replaces secrets in a stream of bytes. Holds back the end of each piece, because a
 * secret may begin there.
 */
function createSecretFilter(secrets: readonly string[]) {
  const longest = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret) - 1));
  let pending = Buffer.alloc(0);

  function hideSecrets(bytes: Buffer): Buffer {
    // Decoding as latin1 preserves every byte.
    let text = bytes.toString("latin1");
    for (const secret of secrets) text = text.replaceAll(Buffer.from(secret).toString("latin1"), "(secret)");
    return Buffer.from(text, "latin1");
  }

  return {
    next(piece: Buffer): Buffer {
      const whole = hideSecrets(Buffer.concat([pending, piece]));
      const end = Math.max(0, whole.length - longest);
      pending = Buffer.from(whole.subarray(end));
      return whole.subarray(0, end);
    },
    rest: () => hideSecrets(pending),
  };
}
