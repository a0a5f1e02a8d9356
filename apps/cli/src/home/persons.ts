import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";

/** A person of a mesh, whose credential this machine stores. It writes from this home unless an agent does. */
export interface StoredPerson {
  readonly mesh_id: string;
  /** The bare uuid. */
  readonly person_id: string;
  readonly name: string;
  readonly credential: string;
  /** Whether the broker has verified the person. Undefined for a person stored by an older merkle. */
  readonly verified?: boolean;
}

/** Where a person is stored. An agent's shell has a guest of its own, so that no agent writes as the user. */
interface PersonStore {
  readonly home: string;
  readonly agentShell?: string | undefined;
}

/** The person of this home in a mesh; null before the first write there, or if the file is not valid. */
export async function findPerson(store: PersonStore, meshId: string): Promise<StoredPerson | null> {
  try {
    const value: unknown = JSON.parse(await readFile(personFile(store, meshId), "utf8"));
    return isStoredPerson(value) && value.mesh_id === meshId ? value : null;
  } catch {
    // A file that is missing, unreadable or not JSON names no person.
    return null;
  }
}

/** Stores a new person in a file that only this user can read. If two commands do so at once, both get the same person. */
export async function keepPerson(store: PersonStore, person: StoredPerson): Promise<StoredPerson> {
  const { home } = store;
  const path = personFile(store, person.mesh_id);
  const unfinished = `${path}.${process.pid}.new`;
  return explainingHome(home, async () => {
    await mkdir(homeFiles.persons(home), { recursive: true, mode: 0o700 });
    try {
      await writeFile(unfinished, `${JSON.stringify(person, null, 2)}\n`, { mode: 0o600 });
      return await placeUnlessThere(unfinished, path, store, person);
    } finally {
      await rm(unfinished, { force: true });
    }
  });
}

/** Moves aside a person whom the broker does not know. The file is kept, because the broker may be wrong. */
export async function setPersonAside(store: PersonStore, person: StoredPerson): Promise<void> {
  const found = await findPerson(store, person.mesh_id);
  if (found && found.credential !== person.credential) return;
  const { home } = store;
  const aside = join(homeFiles.persons(home), `${person.mesh_id}.${person.person_id}.json`);
  await explainingHome(home, () => rename(personFile(store, person.mesh_id), aside)).catch(unlessGone);
}

/** Notes that the broker has verified a person. */
export async function keepVerified(store: PersonStore, person: StoredPerson): Promise<StoredPerson> {
  const verified = { ...person, verified: true };
  const path = personFile(store, person.mesh_id);
  await explainingHome(store.home, () => replaceFile(path, `${JSON.stringify(verified, null, 2)}\n`));
  return verified;
}

/** Creating a link either succeeds or fails at once. A rename would replace the person that another command has just stored. */
async function placeUnlessThere(
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

/** If two commands move the file aside at once, it is gone for one of them. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}

function personFile({ home, agentShell }: PersonStore, meshId: string): string {
  return join(homeFiles.persons(home), `${meshId}${agentShell === undefined ? "" : ".guest"}.json`);
}

function isStoredPerson(value: unknown): value is StoredPerson {
  if (typeof value !== "object" || value === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  return texts.every((name) => typeof fields[name] === "string");
}

const texts = ["mesh_id", "person_id", "name", "credential"] as const;
