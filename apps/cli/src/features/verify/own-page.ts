import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The possible paths of the page for HTML exports: in the package, or in a clone with a built dashboard. */
const places = ["./dashboard/record.template", "../../../../../dashboard/out/record.template"];

/** Returns the SHA-256 of this build's page for HTML exports, or null if the page was not built. */
export async function hashOwnPage(): Promise<string | null> {
  for (const place of places) {
    const page = await readFile(fileURLToPath(new URL(place, import.meta.url))).catch(() => null);
    if (page) return createHash("sha256").update(page).digest("hex");
  }
  return null;
}
