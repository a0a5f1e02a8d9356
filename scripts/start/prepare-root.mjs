/**
 * Prepares a start as root. PostgreSQL refuses to run as root, so it runs as a system user, with its data where that user can
 * access it.
 */

import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/**
 * Checks the requirements before the build. Returns lines that describe what will be created.
 *
 * @param {{ isRoot?: boolean, user?: string, folder?: string }} [options] - for tests
 * @throws Error that says what is missing, and what to do
 */
export function prepareRoot({
  isRoot = process.getuid?.() === 0,
  user = "merkle",
  folder = "/var/lib/merkle",
} = {}) {
  const parent = dirname(folder);
  if (!isRoot || process.env.DATABASE_URL) return [];
  const made = [];
  if (spawnSync("id", ["-u", user]).status !== 0) {
    if (!findUseradd(process.env.PATH ?? "")) {
      throw new Error(
        `As root, PostgreSQL runs as the system user "${user}". There is no such user, and no useradd on the PATH or in /usr/sbin to create it. Create it, run npm start as an ordinary user, or set DATABASE_URL to your own PostgreSQL server.`,
      );
    }
    made.push(`the system user ${user}`);
  }
  if (!existsSync(folder)) {
    if (!isWritable(parent)) {
      throw new Error(
        `As root, the database is in ${folder}, and ${parent} cannot be written. Run npm start as an ordinary user, or set DATABASE_URL to your own PostgreSQL server.`,
      );
    }
    made.push(folder);
  }
  if (made.length === 0) return [];
  return [`as root, PostgreSQL runs as the user ${user}; this start creates ${made.join(" and ")}`];
}

function findUseradd(path) {
  return [...path.split(delimiter), "/usr/sbin", "/sbin"].some((each) => existsSync(join(each, "useradd")));
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
