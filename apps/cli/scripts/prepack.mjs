/**
 * Makes what `npm pack` puts into the package besides what is committed: `bundle/`, which needs no other package of
 * ours nor of npm but PostgreSQL's binaries, and the licenses. Installs and builds what a fresh clone lacks.
 */
import { copyFile, cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, install, root } from "../../../scripts/steps.mjs";
import { made, packageFolder } from "./made.mjs";

try {
  await install();
  await build();
  await makePackage();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function makePackage() {
  for (const name of made) await rm(join(packageFolder, name), { recursive: true, force: true });
  // Only now is there certain to be an esbuild.
  const { bundle } = await import("./bundle.mjs");
  const { thirdPartyNotices } = await import("./third-party-notices.mjs");
  const folder = join(packageFolder, "bundle");
  const bundled = await bundle(folder);
  for (const part of ["migrations", "sql"])
    await cp(join(root, "packages/db", part), join(folder, part), { recursive: true });
  await cp(join(packageFolder, "skills"), join(folder, "skills"), { recursive: true });
  // Next leaves the worker's source beside what it compiled it to, and empty source maps; no page asks for either.
  const filter = (/** @type {string} */ file) => !/\.(?:ts|map)$/.test(file);
  await cp(join(root, "apps/dashboard/out"), join(folder, "dashboard"), { recursive: true, filter });
  await copyFile(join(root, "LICENSE"), join(packageFolder, "LICENSE"));
  await writeFile(join(packageFolder, "THIRD-PARTY-NOTICES.txt"), thirdPartyNotices(bundled));
}
