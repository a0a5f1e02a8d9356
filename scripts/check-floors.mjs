/**
 * Checks that every folder imports only itself and the floors below it, so that a reader can start at the lowest floor. Also
 * checks that files and folders have no circular imports. A feature may import the features named in the `needs` of its entry
 * file, through their entry files.
 */
import { findCircles, listSources, needsOf, readImports, toFolders } from "./imports.mjs";

/**
 * The floors of each package, lowest first. Folders in a list may import the floors below, but not each other. Folders in
 * `together` may also import each other. A file above the folders is on the highest floor, unless it is listed. Each folder in
 * `features` can be left out, because the floors below import none of them.
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
    // These files are built from all operations and events.
    ["rules.ts", "events.ts"],
    "catalogue.ts",
    "client",
    // The entry points that other packages import.
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
    // A launch, like every command, asks for the broker, the session and the identity, in this order. The identity depends on the
    // session.
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
    // The identity and the access to the broker depend on each other.
    { together: ["broker", "identity"] },
    // The slots in the core's pages that features fill.
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

/**
 * Returns why a file of one feature may not import a file of another. Undefined if the import is allowed, or if neither is in a
 * feature.
 */
function refuseFeature(path, target) {
  const [from, to] = [featureOf(path), featureOf(target)];
  if (!to || from?.folder === to.folder) return undefined;
  // The dashboard's route files in `app/` import pages directly. An entry file that imported them would load all pages with every
  // page.
  if (!from && path.startsWith("apps/dashboard/src/app/")) return undefined;
  if (!isEntry(target)) return `import ${to.name} through its feature.ts.`;
  if (!from || needsOf(from.folder).includes(to.name)) return undefined;
  return `${from.folder}/feature.ts does not name "${to.name}" in \`needs\`.`;
}

/**
 * True for a feature's entry files. The main one is `feature.ts`. Others contain code that few programs load: code that needs zod
 * in the contract, and code for worker threads or runners in the broker. Every dashboard page loads all entries, so other
 * features import `api.ts` there.
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

/** Returns why a file of one floor may not import a file of another. Undefined if the import is allowed. */
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
