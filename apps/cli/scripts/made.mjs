import { fileURLToPath } from "node:url";

/** The folder that `npm pack` packs. */
export const packageFolder = fileURLToPath(new URL("..", import.meta.url));

/** What packing makes in it, and takes away again. */
export const made = ["bundle", "LICENSE", "THIRD-PARTY-NOTICES.txt"];
