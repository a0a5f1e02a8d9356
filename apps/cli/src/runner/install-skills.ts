import { existsSync } from "node:fs";
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Puts Merkle's skills where agents that are started in `folder` find them, in place of whatever stood there: nobody else's
 * skill, setting or hook is among them (SKILL-2).
 */
export async function installSkills(folder: string): Promise<void> {
  const made = await mkdtemp(join(folder, ".claude-"));
  await cp(skillsFolder(), join(made, "skills"), { recursive: true });
  const wanted = join(folder, ".claude");
  await rm(wanted, { recursive: true, force: true });
  await rename(made, wanted);
}

/** Beside this file in a bundle; in the workspace at the top of the command's folder. */
function skillsFolder(): string {
  const places = ["./skills", "../../skills"].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = places.find((place) => existsSync(join(place, "merkle-conclude", "SKILL.md")));
  if (found !== undefined) return found;
  throw new Error(`Merkle's skills are missing; they belong in ${places[0]}. Install merkle again.`);
}
