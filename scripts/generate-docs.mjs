// Writes AGENTS.md, and the generated tables of the other documents, from the catalogue as it was last built.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const { generateDocument } = await import(
  "../apps/broker/dist/transports/reference/generate-document.js"
).catch((cause) => {
  throw new Error("The broker is not built. Run `npm run build` first.", { cause });
});

for (const name of new Set([...(await markdownIn(root)), "AGENTS.md"])) {
  const path = join(root, name);
  const current = await readFile(path, "utf8").catch(() => "");
  const generated = generateDocument(name, current);
  if (generated === current) continue;
  await writeFile(path, generated);
  console.log(`wrote ${name}`);
}

async function markdownIn(folder) {
  return (await readdir(folder)).filter((name) => name.endsWith(".md"));
}
