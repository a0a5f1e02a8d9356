/** Removes the files that only the package needs, because they would become outdated in a checkout. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { made, packageFolder } from "./made.mjs";

for (const name of made) await rm(join(packageFolder, name), { recursive: true, force: true });
