import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { explainingHome, homeFiles } from "../merkle-home.js";

/** Who writes from this home in a mesh when no agent does: a person of that mesh, whose credential this machine keeps. */
export interface HeldPerson {
  readonly mesh_id: string;
  /** The bare uuid. */
  readonly person_id: string;
  readonly name: string;
  readonly credential: string;
}

/** The person of this home in a mesh; null while nobody has written there yet, or when the file is none of ours. */
export async function findPerson(home: string, meshId: string): Promise<HeldPerson | null> {
  try {
    const value: unknown = JSON.parse(await readFile(personFile(home, meshId), "utf8"));
    return isHeldPerson(value) && value.mesh_id === meshId ? value : null;
  } catch {
    // Not there, not readable, or not JSON: whatever it is, it is nobody.
    return null;
  }
}

/** Keeps a new person, for this user's eyes alone. Of two commands that are the first at once, both get the same person. */
export async function keepPerson(home: string, person: HeldPerson): Promise<HeldPerson> {
  const path = personFile(home, person.mesh_id);
  const unfinished = `${path}.${process.pid}.new`;
  return explainingHome(home, async () => {
    await mkdir(homeFiles.persons(home), { recursive: true, mode: 0o700 });
    try {
      await writeFile(unfinished, `${JSON.stringify(person, null, 2)}\n`, { mode: 0o600 });
      return await placeUnlessThere(unfinished, path, home, person);
    } finally {
      await rm(unfinished, { force: true });
    }
  });
}

/** Makes room for another person where the broker does not know this one; it is kept, for the broker's word may be wrong. */
export async function setPersonAside(home: string, person: HeldPerson): Promise<void> {
  const found = await findPerson(home, person.mesh_id);
  if (found && found.credential !== person.credential) return;
  const aside = join(homeFiles.persons(home), `${person.mesh_id}.${person.person_id}.json`);
  await explainingHome(home, () => rename(personFile(home, person.mesh_id), aside)).catch(unlessGone);
}

/** A link is made or refused in one step, where a rename would replace the person that another command has just kept. */
async function placeUnlessThere(
  unfinished: string,
  path: string,
  home: string,
  person: HeldPerson,
): Promise<HeldPerson> {
  try {
    await link(unfinished, path);
    return person;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const earlier = await findPerson(home, person.mesh_id);
  if (earlier) return earlier;
  await rm(path, { force: true });
  await link(unfinished, path);
  return person;
}

/** Of two commands that set it aside at once, one does. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}

function personFile(home: string, meshId: string): string {
  return join(homeFiles.persons(home), `${meshId}.json`);
}

function isHeldPerson(value: unknown): value is HeldPerson {
  if (typeof value !== "object" || value === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  return texts.every((name) => typeof fields[name] === "string");
}

const texts = ["mesh_id", "person_id", "name", "credential"] as const;
