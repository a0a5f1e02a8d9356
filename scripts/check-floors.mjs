/**
 * Checks that every folder imports only itself and the floors below it, so that a reader can begin at the lowest one and
 * never has to look up; and that no files and no folders import each other in a circle.
 */
import { findCircles, listSources, readImports, toFolders } from "./imports.mjs";

/**
 * The floors of each package, the lowest first. The folders that stand together are leaves: they import what is below them,
 * and not each other. A file above the folders is on the highest floor.
 */
const floors = {
  "apps/broker": [
    "core",
    "text",
    "identity",
    "sessions",
    "feed",
    "document",
    ["state", "memory", "progress", "audit"],
    "record",
    "work",
    "views",
    "transports",
    "start",
  ],
};

const problems = Object.entries(floors).flatMap(([folder, ofPackage]) => checkPackage(folder, ofPackage));
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkPackage(folder, ofPackage) {
  const imports = readImports(listSources(folder));
  const height = new Map(ofPackage.flatMap((floor, at) => [floor].flat().map((name) => [name, at])));
  const floorOf = (path) => {
    const rest = path.slice(`${folder}/src/`.length).split("/");
    return rest.length > 1 ? rest[0] : [ofPackage.at(-1)].flat()[0];
  };
  return [
    ...[...imports].flatMap(([path, targets]) =>
      targets.flatMap((target) => {
        const reason = refuse(floorOf(path), floorOf(target), height);
        return reason ? [`${path} → ${target}: ${reason}`] : [];
      }),
    ),
    ...findCircles(imports).map((circle) => `These files import each other: ${circle.join(" → ")}`),
    ...findCircles(toFolders(imports)).map(
      (circle) => `These folders import each other: ${circle.join(" → ")}`,
    ),
  ];
}

/** Why a file of one floor must not import a file of another; undefined where it may. */
function refuse(from, to, height) {
  for (const name of [from, to]) {
    if (!height.has(name)) return `${name} is no floor; scripts/check-floors.mjs lists them.`;
  }
  if (height.get(to) < height.get(from) || from === to) return undefined;
  if (height.get(to) === height.get(from))
    return `${from} and ${to} are leaves, which do not import each other.`;
  return `${from} is below ${to}. Move what it needs down, or give it a function or an interface to be called by.`;
}
