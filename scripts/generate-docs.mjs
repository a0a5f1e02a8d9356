// Regenerates AGENTS.md and docs/reference from the sources. Runs under tsx, so nothing needs to be built.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderGeneratedPages } from "./docs/generated-pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const [name, text] of Object.entries(await renderGeneratedPages())) {
  const path = join(root, name);
  if ((await readFile(path, "utf8").catch(() => undefined)) === text) continue;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  console.log(`wrote ${name}`);
}
