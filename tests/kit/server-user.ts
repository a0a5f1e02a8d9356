import { execFile } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const name = "merkle";
const comment = "made by the tests of Merkle";
/** Where root's servers keep what that user cannot reach elsewhere. */
const folder = "/var/lib/merkle";

/**
 * Root's servers run as a system user that Merkle creates when it is missing. Here the tests create it, so that they can tell
 * it from one of this machine's own, and the last of several runs at once removes it.
 */
export async function provideServerUser(): Promise<() => Promise<void>> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return async () => undefined;
  if ((await findComment()) === undefined) {
    const home = ["--no-create-home", "--home-dir", folder, "--shell", "/usr/sbin/nologin"];
    // Another run may be faster, and Merkle itself says what is wrong when there is no such user.
    await run("useradd", ["--system", "--user-group", "--comment", comment, ...home, name]).catch(() => {});
  }
  return removeServerUser;
}

async function removeServerUser(): Promise<void> {
  if ((await findComment()) !== comment) return;
  const others = (await readdir(folder).catch(() => [])).filter((each) => each !== "binaries");
  if (others.length > 0) return;
  // This fails while a process runs as that user: then another run is not over.
  const isRemoved = await run("userdel", [name]).then(
    () => true,
    () => false,
  );
  if (isRemoved) await rm(folder, { recursive: true, force: true });
}

/** The user's comment in the list of users; undefined if there is no such user. */
async function findComment(): Promise<string | undefined> {
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  return users.find(([each]) => each === name)?.[4];
}
