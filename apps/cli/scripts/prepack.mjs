/**
 * Makes what `npm pack` puts into the package besides what is committed: `bundle/`, which needs no package but PostgreSQL's
 * binaries, and the licences. Installs and builds what a fresh clone lacks.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { alone, build, install } from "../../../scripts/steps.mjs";
import { made, packageFolder } from "./made.mjs";

try {
  await alone(async () => {
    await install();
    await build();
  });
  for (const name of made) await rm(join(packageFolder, name), { recursive: true, force: true });
  // The packages that this imports exist only after the install.
  const { fillPackage } = await import("./fill-package.mjs");
  await fillPackage(packageFolder);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
