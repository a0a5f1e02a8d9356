/**
 * Creates the uncommitted files of the package before `npm pack`: the licences and `bundle/`, which depends
 * on no other package except the PostgreSQL binaries. In a fresh clone, first installs and builds what is
 * missing.
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
  // Imported dynamically, because the packages that this module imports exist only after the install.
  const { fillPackage } = await import("./fill-package.mjs");
  await fillPackage(packageFolder);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
