import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The page that this build puts records into: in the package, and in a clone whose dashboard was built. */
const places = ["./dashboard/record.template", "../../../dashboard/out/record.template"];

/** Returns the SHA-256 of this build's page for HTML exports; null where none was built. */
export async function hashOwnPage(): Promise<string | null> {
  for (const place of places) {
    const page = await readFile(fileURLToPath(new URL(place, import.meta.url))).catch(() => null);
    if (page) return createHash("sha256").update(page).digest("hex");
  }
  return null;
}
