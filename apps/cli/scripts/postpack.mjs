/** Takes away what the package alone needed, so that a checkout holds nothing that grows stale. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { made, packageFolder } from "./made.mjs";

for (const name of made) await rm(join(packageFolder, name), { recursive: true, force: true });
