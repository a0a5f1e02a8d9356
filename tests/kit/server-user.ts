import { execFile } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const name = "merkle";
const comment = "made by the tests of Merkle";
/** The folder for data that the PostgreSQL server's user must be able to reach. */
const folder = "/var/lib/merkle";

/**
 * When run as root, Merkle runs servers as a system user, which it creates if missing. During tests, this function
 * creates that user, with a comment that distinguishes it from a user that belongs to the machine. The last of several
 * concurrent runs removes the user.
 */
export async function provideServerUser(): Promise<() => Promise<void>> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return async () => undefined;
  if ((await findComment()) === undefined) {
    const home = ["--no-create-home", "--home-dir", folder, "--shell", "/usr/sbin/nologin"];
    // Another run may create the user first. If the user is missing afterwards, Merkle itself reports the error.
    await run("useradd", ["--system", "--user-group", "--comment", comment, ...home, name]).catch(() => {});
  }
  return removeServerUser;
}

async function removeServerUser(): Promise<void> {
  if ((await findComment()) !== comment) return;
  const others = (await readdir(folder).catch(() => [])).filter((each) => each !== "binaries");
  if (others.length > 0) return;
  // This fails while a process runs as that user, because another run is still active.
  const isRemoved = await run("userdel", [name]).then(
    () => true,
    () => false,
  );
  if (isRemoved) await rm(folder, { recursive: true, force: true });
}

/** Returns the user's comment in /etc/passwd, or undefined if there is no such user. */
async function findComment(): Promise<string | undefined> {
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  return users.find(([each]) => each === name)?.[4];
}
