import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";

/** The writer from this home in a mesh when no agent writes: a person of that mesh, whose credential this machine keeps. */
export interface StoredPerson {
  readonly mesh_id: string;
  /** The bare uuid. */
  readonly person_id: string;
  readonly name: string;
  readonly credential: string;
  /** Whether the broker has it for verified; of one that was kept before it could be, nothing is known. */
  readonly verified?: boolean;
}

/** The owner of the persons: this user, or a guest in an agent's shell, so that no agent speaks as the user. */
interface PersonStore {
  readonly home: string;
  readonly agentShell?: string | undefined;
}

/** The person of this home in a mesh; null while nobody has written there yet, or when the file is none of ours. */
export async function findPerson(store: PersonStore, meshId: string): Promise<StoredPerson | null> {
  try {
    const value: unknown = JSON.parse(await readFile(personFile(store, meshId), "utf8"));
    return isStoredPerson(value) && value.mesh_id === meshId ? value : null;
  } catch {
    // Not there, not readable, or not JSON: whatever it is, it is nobody.
    return null;
  }
}

/** Keeps a new person, for this user's eyes alone. Of two commands that are the first at once, both get the same person. */
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

/** Makes room for another person where the broker does not know this one; it is kept, for the broker's word may be wrong. */
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

/** A link is made or refused in one step, where a rename would replace the person that another command has just kept. */
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

/** Two commands may set it aside at once; one of them does. */
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
