import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { EmbeddedPostgresError, USE_YOUR_OWN } from "./error.js";
import { runProgram, type ServerUser } from "./run-program.js";

const SYSTEM_USER = "merkle";
/** Tells a user that Merkle made from one that somebody else made under its name. */
const MADE_BY = "made by Merkle";

/** Whether this process may and must switch to another user before it can run PostgreSQL, which refuses root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The user to run the server as, for a process that is root: the owner of what is there already, so that
 * `sudo merkle up` on somebody's home leaves nothing behind that they cannot use, else a system user of our own.
 * Not `nobody` and not `postgres`: other services run as these, and could read and signal our server.
 */
export async function serverUserFor(ownerUid: number): Promise<ServerUser> {
  if (ownerUid !== 0) {
    const owner = await findUser(String(ownerUid));
    // A user id without a name (a volume of another machine) is of no use: initdb insists on a name.
    if (owner) return owner;
  }
  return (await findUser(SYSTEM_USER)) ?? (await createSystemUser());
}

/** Throws when this process is not root and its user has no name, which initdb would refuse less clearly. */
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

/** Whether `user` can stand in and write to `folder`: tried as that user, because modes, ACLs and mounts all have a say. */
export async function canWriteTo(folder: string, user: ServerUser): Promise<boolean> {
  const tried = await runProgram("/bin/sh", ["-c", 'test -x "$1" && test -w "$1"', "sh", folder], { user });
  if (tried.refused) throw cannotSwitch(user, tried.output);
  return tried.code === 0;
}

/** Whether `user` can pass through `folder`. */
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
    MADE_BY,
    "--no-create-home",
    "--home-dir",
    "/var/lib/merkle",
    "--shell",
    "/usr/sbin/nologin",
    SYSTEM_USER,
  ]);
  // Another process may have created it at the same moment; what counts is that it is there.
  const user = await findUser(SYSTEM_USER);
  if (user) return user;
  throw new EmbeddedPostgresError(
    "server_user",
    `PostgreSQL refuses to run as root, and the system user "${SYSTEM_USER}" could not be created. Create it (useradd --system ${SYSTEM_USER}), run Merkle as an ordinary user, or ${USE_YOUR_OWN}.`,
    { details: created.output },
  );
}

/** The system user that Merkle made; undefined where there is none. */
export async function findMadeUser(): Promise<ServerUser | undefined> {
  const users = await readFile("/etc/passwd", "utf8").catch(() => "");
  const made = users
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name, , , , comment]) => {
      return name === SYSTEM_USER && comment === MADE_BY;
    });
  return made && { name: SYSTEM_USER, uid: Number(made[2]), gid: Number(made[3]) };
}

/** Removes that user. It fails while a process runs as the user. */
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
