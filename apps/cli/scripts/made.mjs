import { fileURLToPath } from "node:url";

/** The folder that `npm pack` packs. */
export const packageFolder = fileURLToPath(new URL("..", import.meta.url));

/** Files that packing creates in the package folder and removes afterwards. */
export const made = ["bundle", "man", "LICENSE", "THIRD-PARTY-NOTICES.txt"];
