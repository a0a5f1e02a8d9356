import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../core/sha256.js";

/** The possible paths of the page for HTML exports: in the package, or in a clone with a built dashboard. */
const places = ["./dashboard/record.template", "../../../../../dashboard/out/record.template"];

/** Returns the SHA-256 of this build's page for HTML exports, or null if the page was not built. */
export async function hashOwnPage(): Promise<string | null> {
  for (const place of places) {
    const page = await readFile(fileURLToPath(new URL(place, import.meta.url))).catch(() => null);
    if (page) return sha256(page);
  }
  return null;
}
