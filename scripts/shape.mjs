/**
 * `npm run shape` prints figures about the source, to show whether it becomes easier or harder to navigate. `--json` prints them
 * for programs. The figures are informative and never fail a build.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findCircles, folderOf, listSources, packages, readImports, root, toFolders } from "./imports.mjs";

const perPackage = packages.map((folder) => ({ folder, ...measure(listSources(folder)) }));
const all = measure(packages.flatMap(listSources));
const measured = [...perPackage, { folder: "all", ...all }];

if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`);
else print();

function measure(paths) {
  const sizes = paths.map((path) => countLines(readFileSync(join(root, path), "utf8")));
  const functions = paths.flatMap((path) => functionLines(readFileSync(join(root, path), "utf8")));
  const imports = readImports(paths);
  const importers = new Map(paths.map((path) => [path, 0]));
  for (const targets of imports.values())
    for (const each of targets) importers.set(each, (importers.get(each) ?? 0) + 1);
  const [widest = ["", 0]] = [...importers].sort((a, b) => b[1] - a[1]);
  const circles = findCircles(imports);
  const capabilities = new Map();
  paths.forEach((path, index) => {
    const key = capabilityOf(path);
    capabilities.set(key, (capabilities.get(key) ?? 0) + (sizes[index] ?? 0));
  });
  return {
    files: paths.length,
    lines: sizes.reduce((sum, each) => sum + each, 0),
    file_median: percentile(sizes, 0.5),
    file_p95: percentile(sizes, 0.95),
    file_max: percentile(sizes, 1),
    function_median: percentile(functions, 0.5),
    function_p95: percentile(functions, 0.95),
    files_up_to_20_lines: sizes.filter((each) => each <= 20).length,
    files_with_one_importer: [...importers.values()].filter((each) => each === 1).length,
    circles_of_files: circles.length,
    circles_of_folders: findCircles(toFolders(imports)).length,
    widest_fan_in: { path: widest[0], importers: widest[1] },
    longest_chain: longestChain(imports, circles),
    lines_of_capabilities: Object.fromEntries([...capabilities].sort((a, b) => b[1] - a[1])),
  };
}

function countLines(text) {
  return text.split("\n").length - 1;
}

/**
 * Returns the lengths of functions that start on their own line. In Biome's format, such a function ends at the first line with
 * the same indentation that begins with a brace.
 */
function functionLines(text) {
  const lines = text.split("\n");
  const begin =
    /^(\s*)(?:export )?(?:default )?(?:async )?(?:function\b|(?:const \w+ = )?(?:async )?\(?.*=> \{$|(?:async )?(?!if|for|while|switch|catch)\w+\(.*\).* \{$)/;
  return lines.flatMap((line, at) => {
    const indent = begin.exec(line)?.[1];
    if (indent === undefined) return [];
    const end = lines.findIndex((each, index) => index > at && each.startsWith(`${indent}}`));
    return end === -1 ? [] : [end - at + 1];
  });
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Returns the number of files in the longest chain of imports. A cycle counts as one file. */
function longestChain(imports, circles) {
  const circleOf = new Map(circles.flatMap((circle) => circle.map((path) => [path, circle])));
  const depths = new Map();
  function depthOf(path) {
    const key = circleOf.get(path) ?? path;
    const known = depths.get(key);
    if (known !== undefined) return known;
    const next = (circleOf.get(path) ?? [path]).flatMap((each) => imports.get(each) ?? []);
    const below = next.filter((each) => (circleOf.get(each) ?? each) !== key).map(depthOf);
    const depth = 1 + Math.max(0, ...below);
    depths.set(key, depth);
    return depth;
  }
  return Math.max(0, ...[...imports.keys()].map(depthOf));
}

/** Returns a package's folder with the folder below it, such as apps/broker/work/jobs. */
function capabilityOf(path) {
  const parts = folderOf(path).replace("/src/", "/").split("/");
  return parts.slice(0, Math.min(4, parts.length - (/\.tsx?$/.test(parts.at(-1) ?? "") ? 1 : 0))).join("/");
}

function print() {
  const names = Object.keys(all).filter((name) => typeof all[name] === "number");
  const rows = [
    ["", ...measured.map(({ folder }) => folder.split("/").at(-1) ?? "")],
    ...names.map((name) => [name.replaceAll("_", " "), ...measured.map((each) => String(each[name]))]),
    ["widest fan-in", ...measured.map((each) => String(each.widest_fan_in.importers))],
  ];
  const width = Math.max(...rows.map(([name = ""]) => name.length));
  for (const [name = "", ...cells] of rows)
    process.stdout.write(`${name.padEnd(width)}${cells.map((cell) => cell.padStart(11)).join("")}\n`);
  process.stdout.write(`\nimported most: ${all.widest_fan_in.path}\n\nlines of capabilities\n`);
  for (const [name, lines] of Object.entries(all.lines_of_capabilities))
    process.stdout.write(`${String(lines).padStart(7)}  ${name}\n`);
}
