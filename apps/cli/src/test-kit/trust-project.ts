import { findProjectFile } from "../settings/config-file.js";
import { toForeignFile, trustFile } from "../settings/foreign-file.js";

/** Trusts the project file in a folder, as `merkle trust` would. */
export async function trustProject(home: string, folder: string): Promise<void> {
  const file = await findProjectFile(folder);
  const foreign = file && toForeignFile(file);
  if (!foreign) throw new Error(`Nothing in ${folder} needs to be trusted.`);
  trustFile(home, foreign);
}
