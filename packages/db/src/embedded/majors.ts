import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toProgramPath } from "./binaries.js";
import { EmbeddedPostgresError } from "./error.js";
import { runProgram } from "./run-program.js";

/** Lists the PostgreSQL major versions for which this home has data, newest first. */
export async function listMajors(home: string): Promise<number[]> {
  const names = await readdir(join(home, "pg")).catch((): string[] => []);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);
}

/**
 * Returns the major version of the PostgreSQL installed in `folder`, which must contain `bin/`.
 *
 * @throws EmbeddedPostgresError `binaries_missing` if the folder has no PostgreSQL that runs on this machine
 */
export async function readMajor(folder: string): Promise<number> {
  const result = await runProgram(toProgramPath(folder, "postgres"), ["--version"]).catch(() => ({
    output: "",
  }));
  const major = /\(PostgreSQL\) (\d+)/.exec(result.output)?.[1];
  if (major !== undefined) return Number(major);
  throw new EmbeddedPostgresError(
    "binaries_missing",
    `${folder} has no PostgreSQL that runs on this machine. Name the folder that contains bin/postgres, such as /usr/lib/postgresql/15.`,
  );
}

/**
 * Marks a home whose data is being moved to another major version of PostgreSQL. Returns a function that
 * removes the mark. While the mark exists, the new data may be incomplete, even if the move has stopped.
 */
export async function markMove(home: string): Promise<() => Promise<void>> {
  const path = join(home, "pg", moving);
  await writeFile(path, "");
  return () => rm(path, { force: true });
}

/**
 * @throws EmbeddedPostgresError `other_major` if this major version of PostgreSQL would start without the
 * home's existing data
 */
export async function requireOwnMajor(home: string, major: number): Promise<void> {
  const majors = await listMajors(home);
  const isMoving = (await readdir(join(home, "pg")).catch((): string[] => [])).includes(moving);
  if ((majors.includes(major) && !isMoving) || majors.length === 0) return;
  const older = majors.find((each) => each !== major) ?? major;
  throw new EmbeddedPostgresError(
    "other_major",
    `The data in ${home} was written by PostgreSQL ${older}, but this Merkle includes ${major}. Nothing was changed. If this machine has PostgreSQL ${older}, run: ` +
      `merkle upgrade --postgres /usr/lib/postgresql/${older}. Otherwise start the Merkle that wrote the data, run merkle backup there, and restore the backup here.`,
  );
}

const moving = "moving";
