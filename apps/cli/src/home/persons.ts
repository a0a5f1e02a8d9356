import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../core/is-object.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";

/**
 * A person in a mesh, with the credential stored on this machine. Commands act as this person, except in an
 * agent's shell.
 */
export interface StoredPerson {
  readonly mesh_id: string;
  /** The person's uuid, which unlike the credential contains no secret. */
  readonly person_id: string;
  readonly name: string;
  readonly credential: string;
  /** Whether the broker has verified the person. Undefined in files from an older version. */
  readonly verified?: boolean;
}

/**
 * Selects the file in which a person is stored. In agents' shells a separate guest is stored, so that no
 * agent acts as the user.
 */
interface PersonStore {
  readonly home: string;
  readonly agentShell?: string | undefined;
}

/**
 * Returns this home's person in a mesh. Null if nothing has been written there yet, or if the file is
 * invalid.
 */
export async function findPerson(store: PersonStore, meshId: string): Promise<StoredPerson | null> {
  try {
    const value: unknown = JSON.parse(await readFile(toPersonPath(store, meshId), "utf8"));
    return isStoredPerson(value) && value.mesh_id === meshId ? value : null;
  } catch {
    // A missing or invalid file counts as no person.
    return null;
  }
}

/**
 * Stores a new person in a file that only this user can read. If two commands do this at the same time, both
 * get the same person.
 */
export async function savePerson(store: PersonStore, person: StoredPerson): Promise<StoredPerson> {
  const { home } = store;
  const path = toPersonPath(store, person.mesh_id);
  const unfinished = `${path}.${process.pid}.new`;
  return explainHomeErrors(home, async () => {
    await mkdir(homeFiles.persons(home), { recursive: true, mode: 0o700 });
    try {
      await writeFile(unfinished, `${JSON.stringify(person, null, 2)}\n`, { mode: 0o600 });
      return await linkUnlessExists(unfinished, path, store, person);
    } finally {
      await rm(unfinished, { force: true });
    }
  });
}

/**
 * Renames the file of a person whom the broker does not know. The file is kept, because the broker may be
 * wrong.
 */
export async function setPersonAside(store: PersonStore, person: StoredPerson): Promise<void> {
  const stored = await findPerson(store, person.mesh_id);
  if (stored && stored.credential !== person.credential) return;
  const { home } = store;
  const aside = join(homeFiles.persons(home), `${person.mesh_id}.${person.person_id}.json`);
  await explainHomeErrors(home, () => rename(toPersonPath(store, person.mesh_id), aside)).catch(
    ignoreMissing,
  );
}

/** Records that the broker has verified a person. */
export async function markVerified(store: PersonStore, person: StoredPerson): Promise<StoredPerson> {
  const verified = { ...person, verified: true };
  const path = toPersonPath(store, person.mesh_id);
  await explainHomeErrors(store.home, () => replaceFile(path, `${JSON.stringify(verified, null, 2)}\n`));
  return verified;
}

/**
 * Creates the person's file unless it exists. Creates a link for that, because renaming would replace a
 * person that another command has just stored.
 */
async function linkUnlessExists(
  unfinished: string,
  path: string,
  store: PersonStore,
  person: StoredPerson,
): Promise<StoredPerson> {
  try {
    await link(unfinished, path);
    return person;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const earlier = await findPerson(store, person.mesh_id);
  if (earlier) return earlier;
  await rm(path, { force: true });
  await link(unfinished, path);
  return person;
}

/** Ignores a missing file, which another command may have moved at the same time. Throws other errors. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}

function toPersonPath({ home, agentShell }: PersonStore, meshId: string): string {
  return join(homeFiles.persons(home), `${meshId}${agentShell === undefined ? "" : ".guest"}.json`);
}

function isStoredPerson(value: unknown): value is StoredPerson {
  return isObject(value) && textFields.every((name) => typeof value[name] === "string");
}

const textFields = ["mesh_id", "person_id", "name", "credential"] as const;
