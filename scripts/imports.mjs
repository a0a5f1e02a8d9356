/** Reads which source files import which others. Type imports count, because a reader of the file needs them as well. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The folders of the packages. */
export const packages = ["packages", "apps"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);

/** Returns the shipped source files of a package, as paths from the root. Excludes tests and test kits. */
export function listSources(folder) {
  const from = existsSync(join(root, folder, "src")) ? join(root, folder, "src") : join(root, folder);
  return readdirSync(from, { recursive: true })
    .map((path) => join(relative(root, from), path).split(sep).join("/"))
    .filter(
      (path) => /\.tsx?$/.test(path) && !/\.(test|d)\.tsx?$|-kit\/|node_modules\/|\/dist\/|\/\./.test(path),
    )
    .sort();
}

/** Returns the other features that the entry of a feature's folder names. */
export function needsOf(folder) {
  const entry = listSources(folder).find((path) => /\/feature\.tsx?$/.test(path));
  const text = entry ? readFileSync(join(root, entry), "utf8") : "";
  const [, list = ""] = /\bneeds(?: =|:) \[([^\]]*)\]/.exec(text) ?? [];
  return [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name);
}

// Matches imports as Biome formats them. An import of several lines matches at its last line, which contains `from`.
const specifiers = /^(?:.*\bfrom|import) "([^"]+)";$|\bimport\(\s*"([^"]+)"/gm;

/** Returns the sources, each with the other sources that it imports. */
export function readImports(sources) {
  const known = new Set(sources);
  return new Map(sources.map((path) => [path, importsOf(path, known)]));
}

function importsOf(path, known) {
  const text = readFileSync(join(root, path), "utf8");
  const found = new Set();
  for (const [, named, awaited] of text.matchAll(specifiers)) {
    const target = resolve(path, named ?? awaited, known);
    if (target) found.add(target);
  }
  return [...found];
}

function resolve(path, specifier, known) {
  const alias =
    specifier.startsWith("@/") && `${path.split("/").slice(0, 2).join("/")}/src/${specifier.slice(2)}`;
  if (!alias && !specifier.startsWith(".")) return undefined;
  const target = alias || join(dirname(path), specifier).split(sep).join("/");
  const bare = target.replace(/\.jsx?$/, "");
  return [target, `${bare}.ts`, `${bare}.tsx`, `${bare}/index.ts`].find((each) => known.has(each));
}

/** Returns the cycles of a graph as lists of nodes (Tarjan's algorithm). Within a cycle, every node can reach every other. */
export function findCircles(graph) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const circles = [];

  function visit(node) {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) circles.push(circle.reverse());
  }

  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return circles;
}

/** Returns the folder of a source file. A file directly on a floor, or above the floors, counts as its own folder. */
export function toFolder(path) {
  const parts = path.split("/");
  return parts.length > 5 ? parts.slice(0, -1).join("/") : path;
}

/** Converts the graph of files to a graph of folders. */
export function toFolders(imports) {
  const folders = new Map();
  for (const [path, targets] of imports) {
    const from = toFolder(path);
    const into = folders.get(from) ?? new Set();
    folders.set(from, into);
    for (const target of targets) if (toFolder(target) !== from) into.add(toFolder(target));
  }
  return folders;
}
