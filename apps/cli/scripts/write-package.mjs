/**
 * Usage: `node apps/cli/scripts/write-package.mjs <folder>`. Writes the compiled package into the folder, for
 * a broker that serves the package for download.
 */
import { mkdir } from "node:fs/promises";
import { writePackage } from "./fill-package.mjs";

const [folder] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
await writePackage(folder);
