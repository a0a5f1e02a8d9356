import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { EmbeddedPostgresError, USE_YOUR_OWN } from "./error.js";
import { runProgram, type ServerUser } from "./run-program.js";

const SYSTEM_USER = "merkle";
/**
 * Comment of the user account. Distinguishes a user that Merkle created from another user with the same name.
 */
const USER_COMMENT = "made by Merkle";

/**
 * Returns true if this process is root. It must then switch to another user to run PostgreSQL, which refuses
 * to run as root.
 */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Returns the user that must run the server if this process is root. If there is data already, this is the
 * owner of that data, so that `sudo merkle up` on another user's home leaves no files that the owner cannot
 * use. Otherwise, it is Merkle's system user. `nobody` and `postgres` are unsuitable: other services run as
 * these users and could read and signal our server.
 */
export async function ensureServerUser(ownerUid: number): Promise<ServerUser> {
  if (ownerUid !== 0) {
    const owner = await findUser(String(ownerUid));
    // A user id without a name (on a volume from another machine) cannot be used, because initdb requires a
    // name.
    if (owner) return owner;
  }
  return (await findUser(SYSTEM_USER)) ?? (await createSystemUser());
}

/**
 * Throws if this process is not root and its user has no name. Otherwise initdb would fail with a less clear
 * error.
 */
export function requireNamedUser(): void {
  try {
    userInfo();
  } catch (error) {
    throw new EmbeddedPostgresError(
      "user_unknown",
      `User id ${process.getuid?.()} has no name on this system, and PostgreSQL does not start without one. Add it to /etc/passwd, run Merkle as a named user, or ${USE_YOUR_OWN}.`,
      { cause: error },
    );
  }
}

/**
 * Returns true if `user` can enter `folder` and write to it. The test runs as that user, because modes, ACLs
 * and mounts all matter.
 */
export async function canWriteTo(folder: string, user: ServerUser): Promise<boolean> {
  const tried = await runProgram("/bin/sh", ["-c", 'test -x "$1" && test -w "$1"', "sh", folder], { user });
  if (tried.refused) throw cannotSwitch(user, tried.output);
  return tried.code === 0;
}

/** Returns true if `user` can traverse `folder`. */
export async function canReach(folder: string, user: ServerUser): Promise<boolean> {
  const tried = await runProgram("/bin/sh", ["-c", 'test -x "$1"', "sh", folder], { user });
  if (tried.refused) throw cannotSwitch(user, tried.output);
  return tried.code === 0;
}

async function findUser(nameOrUid: string): Promise<ServerUser | undefined> {
  const found = await runProgram("id", [nameOrUid]);
  const match = /^uid=(\d+)\(([^)]+)\) gid=(\d+)/.exec(found.output);
  if (found.code !== 0 || !match) return undefined;
  const [, uid, name, gid] = match;
  return name === undefined ? undefined : { uid: Number(uid), gid: Number(gid), name };
}

async function createSystemUser(): Promise<ServerUser> {
  const created = await runProgram("useradd", [
    "--system",
    "--user-group",
    "--comment",
    USER_COMMENT,
    "--no-create-home",
    "--home-dir",
    "/var/lib/merkle",
    "--shell",
    "/usr/sbin/nologin",
    SYSTEM_USER,
  ]);
  // Ignores the error if the user exists now, because another process may have created the user at the same
  // time.
  const user = await findUser(SYSTEM_USER);
  if (user) return user;
  throw new EmbeddedPostgresError(
    "server_user",
    `PostgreSQL refuses to run as root, and the system user "${SYSTEM_USER}" could not be created. Create it (useradd --system ${SYSTEM_USER}), run Merkle as an ordinary user, or ${USE_YOUR_OWN}.`,
    { details: created.output },
  );
}

/** Returns the system user that Merkle created, or undefined if there is none. */
export async function findCreatedUser(): Promise<ServerUser | undefined> {
  const users = await readFile("/etc/passwd", "utf8").catch(() => "");
  const made = users
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name, , , , comment]) => {
      return name === SYSTEM_USER && comment === USER_COMMENT;
    });
  return made && { name: SYSTEM_USER, uid: Number(made[2]), gid: Number(made[3]) };
}

/** Deletes a system user. Fails if a process runs as this user. */
export async function removeUser(name: string): Promise<void> {
  const removed = await runProgram("userdel", [name]);
  if (removed.code === 0) return;
  throw new EmbeddedPostgresError(
    "server_user",
    `The system user "${name}" could not be removed: ${removed.output.trim()}. Remove it with userdel ${name}.`,
  );
}

function cannotSwitch(user: ServerUser, output: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "server_user",
    `PostgreSQL refuses to run as root, and this process is not allowed to switch to the user "${user.name}". Run Merkle as an ordinary user, or ${USE_YOUR_OWN}.`,
    { details: output },
  );
}
