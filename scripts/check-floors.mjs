/**
 * Checks that every folder imports only itself and the floors below it, so that a reader can begin at the lowest one and
 * never has to look up; and that no files and no folders import each other in a circle. A feature imports the other features
 * that it names in the `needs` of its entry file, through theirs.
 */
import { findCircles, listSources, needsOf, readImports, toFolders } from "./imports.mjs";

/**
 * The floors of each package, the lowest first. The folders of a list are leaves: they import what is below them, and not
 * each other; those that are `together` may, since one cannot be read without the others. A file above the folders is on the
 * highest floor, unless it is named. The folders in `features` can each be left out: the floors below import none of them.
 */
const floors = {
  "packages/wire": [
    "core",
    "text",
    "identity",
    "feed",
    "record",
    "operations",
    "transports",
    "features",
    "features.ts",
    // What is made of all operations and events.
    ["rules.ts", "events.ts"],
    "catalogue.ts",
    "client",
    // The faces that other packages import.
    ["index.ts", "schemas.ts"],
  ],
  "apps/broker": [
    "core",
    "text",
    "identity",
    "sessions",
    "feed",
    "document",
    "views",
    "transports",
    ["core-handlers.ts", "feature.ts"],
    "features",
    ["features.ts", "worker-tasks.ts"],
    "start",
    ["index.ts", "runner.ts"],
  ],
  "packages/db": [
    "core",
    "text",
    "files",
    "embedded",
    "identity",
    "sessions",
    "feed",
    "document",
    "views",
    "transports",
    "start",
    "features",
    "features.ts",
    "backup",
  ],
  "apps/cli": [
    "core",
    "text",
    "home",
    "settings",
    "command",
    // A launch, and every command, asks in this order: which broker, which session, as whom. Who writes depends on the session.
    "broker",
    "sessions",
    "identity",
    "document",
    "feed",
    "views",
    "clients",
    "mcp",
    "launch",
    "install",
    "start",
    "feature.ts",
    "features",
    "features.ts",
    "feature-hooks.ts",
    { together: ["commands", "commands.ts", "command-descriptions.ts"] },
    "main.ts",
  ],
  "apps/dashboard": [
    "core",
    "ui",
    "text",
    // As whom the broker is called and what it says of that depend on each other.
    { together: ["broker", "identity"] },
    // The places in the core's pages that features fill.
    "parts",
    "components",
    "sessions",
    "feed",
    "document",
    "views",
    "shell",
    "features",
    ["features.ts"],
    "start",
    "app",
  ],
};

const problems = Object.entries(floors).flatMap(([folder, ofPackage]) => checkPackage(folder, ofPackage));
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkPackage(folder, ofPackage) {
  const imports = readImports(listSources(folder));
  const height = new Map(ofPackage.flatMap((floor, at) => foldersOf(floor).map((name) => [name, at])));
  const together = ofPackage.flatMap((floor) => floor.together ?? []);
  const floorOf = (path) => {
    const rest = path.slice(`${folder}/src/`.length).split("/");
    return rest.length > 1 || height.has(rest[0]) ? rest[0] : foldersOf(ofPackage.at(-1))[0];
  };
  return [
    ...[...imports].flatMap(([path, targets]) =>
      targets.flatMap((target) => {
        const reason =
          refuse(floorOf(path), floorOf(target), { height, together }) ?? refuseFeature(path, target);
        return reason ? [`${path} → ${target}: ${reason}`] : [];
      }),
    ),
    ...checkCircles(imports),
  ];
}

/** Why a file of one feature must not import a file of another; undefined where it may, or where one is of no feature. */
function refuseFeature(path, target) {
  const [from, to] = [featureOf(path), featureOf(target)];
  if (!to || from?.folder === to.folder) return undefined;
  // The pages of the dashboard are stubs in `app/`: in an entry file every page would load all of them.
  if (!from && path.startsWith("apps/dashboard/src/app/")) return undefined;
  if (!isEntry(target)) return `import ${to.name} through its feature.ts.`;
  if (!from || needsOf(from.folder).includes(to.name)) return undefined;
  return `${from.folder}/feature.ts does not name "${to.name}" in \`needs\`.`;
}

/**
 * A feature's entry is `feature.ts`. Beside it stands what few programs load: in the contract, what needs zod; in the broker,
 * what runs in a worker thread or in a runner, without the rest of the broker; in the dashboard, whose pages all load every
 * entry, what other features use.
 */
function isEntry(path) {
  return /\/feature(\.worker|\.runner)?\.tsx?$|^packages\/wire\/.*\/operations\.ts$|^apps\/dashboard\/.*\/api\.ts$/.test(
    path,
  );
}

function featureOf(path) {
  const [folder, name] = /^.+\/src\/features\/([^/]+)(?=\/)/.exec(path) ?? [];
  return folder && { folder, name };
}

function checkCircles(imports) {
  return [
    ...findCircles(imports).map((circle) => `These files import each other: ${circle.join(" → ")}`),
    ...findCircles(toFolders(imports)).map(
      (circle) => `These folders import each other: ${circle.join(" → ")}`,
    ),
  ];
}

function foldersOf(floor) {
  return floor.together ?? [floor].flat();
}

/** Why a file of one floor must not import a file of another; undefined where it may. */
function refuse(from, to, { height, together }) {
  for (const name of [from, to]) {
    if (!height.has(name)) return `${name} is no floor; scripts/check-floors.mjs lists them.`;
  }
  if (height.get(to) < height.get(from) || from === to) return undefined;
  if (height.get(to) === height.get(from))
    return together.includes(from)
      ? undefined
      : `${from} and ${to} are leaves, which do not import each other.`;
  return `${from} is below ${to}. Move what it needs down, or give it a function or an interface to be called by.`;
}
