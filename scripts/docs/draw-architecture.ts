import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listSources, needsOf, packages, readImports, root } from "../imports.mjs";

interface Column {
  readonly folder: string;
  /** The packages of this repository that the package imports. */
  readonly imports: readonly string[];
  /** The folders of the core, lowest floor first. Each imports only the folders before it. */
  readonly core: readonly string[];
  readonly features: readonly string[];
}

const columnWidth = 165;
const labelWidth = 100;
const needsWidth = 190;
const rowHeight = 20;
const headHeight = 64;

/**
 * Draws each package with its core folders, and shows which packages each feature has code in. Everything is derived
 * from the folders and imports.
 */
export function drawArchitecture(): string {
  const columns = ["packages/wire", "packages/db", "apps/broker", "apps/cli", "apps/dashboard"].map(
    readColumn,
  );
  const features = [...new Set(columns.flatMap((column) => column.features))].sort();
  const coreRows = Math.max(...columns.map(({ core }) => core.length));
  const coreTop = headHeight + 30;
  const featuresTop = coreTop + coreRows * rowHeight + 44;
  const width = labelWidth + columns.length * columnWidth + needsWidth;
  const height = featuresTop + features.length * rowHeight + 10;
  const parts = [
    ...columns.flatMap((column, at) => drawColumn(column, labelWidth + at * columnWidth, height)),
    text(8, coreTop - 8, "Core", "h"),
    ...columns.flatMap(({ core }, at) =>
      core.map((name, floor) =>
        box(labelWidth + at * columnWidth + 8, coreTop + (coreRows - 1 - floor) * rowHeight, name),
      ),
    ),
    text(8, featuresTop - 8, "Features", "h"),
    text(labelWidth + columns.length * columnWidth + 12, featuresTop - 8, "needs", "m"),
    ...features.flatMap((name, row) => drawFeature(name, columns, featuresTop + row * rowHeight)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="The packages, the folders of their core, and the parts of each feature" font-family="system-ui, sans-serif" font-size="12">
<style>
.b{fill:#f6f7f9;stroke:#dfe3ea}.i{fill:#fff;stroke:#7d8593}.t{fill:#14171f}.m{fill:#565f6f}.h{fill:#14171f;font-weight:600}
@media (prefers-color-scheme:dark){.b{fill:#161b22;stroke:#2b3340}.i{fill:#0e1116;stroke:#6b7688}.t,.h{fill:#e6e9ef}.m{fill:#9aa5b5}}
</style>
${parts.join("\n")}
</svg>
`;
}

function readColumn(folder: string): Column {
  const sources = listSources(folder);
  const code = sources.map((path) => readFileSync(join(root, path), "utf8")).join("\n");
  const own = packages.map((each) => each.split("/")[1] ?? "");
  return {
    folder,
    imports: own.filter((name) => !folder.endsWith(`/${name}`) && code.includes(`"@merkle/${name}`)),
    core: sortFloors(folder, sources),
    features: [...new Set(sources.flatMap((path) => featureOf(path) ?? []))],
  };
}

/** Sorts the folders of the core so that each folder imports only earlier folders. No two folders import each other. */
function sortFloors(folder: string, sources: readonly string[]): string[] {
  const floorOf = (path: string) => {
    const [name = "", ...rest] = path.slice(`${folder}/src/`.length).split("/");
    return rest.length > 0 && name !== "features" ? name : undefined;
  };
  const below = new Map<string, Set<string>>();
  for (const [path, targets] of readImports(sources)) {
    const floor = floorOf(path);
    if (floor === undefined) continue;
    const own = below.get(floor) ?? new Set();
    below.set(floor, own);
    for (const target of targets) {
      const other = floorOf(target);
      if (other !== undefined && other !== floor) own.add(other);
    }
  }
  const seen = new Set<string>();
  const sorted: string[] = [];
  const add = (floor: string) => {
    if (seen.has(floor)) return;
    seen.add(floor);
    for (const other of [...(below.get(floor) ?? [])].sort()) add(other);
    sorted.push(floor);
  };
  for (const floor of [...below.keys()].sort()) add(floor);
  return sorted;
}

function featureOf(path: string): string | undefined {
  return /\/src\/features\/([^/]+)\//.exec(path)?.[1];
}

function drawColumn({ folder, imports }: Column, x: number, height: number): string[] {
  return [
    `<rect class="b" x="${x + 2}" y="4" width="${columnWidth - 4}" height="${height - 8}" rx="8"/>`,
    text(x + 12, 24, folder, "h"),
    text(x + 12, 42, imports.length === 0 ? "imports none of ours" : `imports ${imports.join(", ")}`, "m"),
  ];
}

function drawFeature(name: string, columns: readonly Column[], y: number): string[] {
  const has = columns.filter(({ features }) => features.includes(name));
  const needs = new Set(has.flatMap(({ folder }) => needsOf(`${folder}/src/features/${name}`)));
  return [
    text(8, y + 14, name, "t"),
    ...has.map((column) => box(labelWidth + columns.indexOf(column) * columnWidth + 8, y, name)),
    text(labelWidth + columns.length * columnWidth + 12, y + 14, [...needs].sort().join(", "), "m"),
  ];
}

function box(x: number, y: number, name: string): string {
  return `<rect class="i" x="${x}" y="${y + 1}" width="${columnWidth - 16}" height="${rowHeight - 3}" rx="4"/>${text(x + 8, y + 14, name, "t")}`;
}

function text(x: number, y: number, words: string, style: "h" | "m" | "t"): string {
  return words === "" ? "" : `<text class="${style}" x="${x}" y="${y}">${words}</text>`;
}
