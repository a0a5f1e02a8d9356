// Adds the optional packages that npm left out to package-lock.json. If a registry lacks the binary for a platform, npm
// silently drops the package, and installs on that platform lack it.
//
// Added entries get the integrity that the registry reports. An entry may lack an integrity only if it is an optional
// binary for a single platform, for a development tool that users do not install. `--check` changes nothing. It fails
// if a package is missing, if an entry lacks a required integrity, or if an entry names its registry.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const lockfile = JSON.parse(readFileSync(path, "utf8"));

const systems = {
  aix: "aix",
  android: "android",
  darwin: "darwin",
  freebsd: "freebsd",
  linux: "linux",
  linuxmusl: "linux",
  netbsd: "netbsd",
  openbsd: "openbsd",
  openharmony: "openharmony",
  sunos: "sunos",
  win32: "win32",
  windows: "win32",
};
const processors = [
  "arm",
  "arm64",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];

if (process.argv.includes("--check")) check(lockfile);
else complete(lockfile);

function complete({ packages }) {
  const missing = findMissing(packages);
  for (const { parent, name, version } of missing) {
    packages[placeFor(packages, parent, name)] = {
      version,
      ...platformOf(name),
      ...(packages[parent].dev ? { dev: true } : {}),
      optional: true,
    };
  }
  const told = Object.entries(packages).filter(
    ([place, entry]) => lacksIntegrity(place, entry) && addIntegrity(place, entry),
  );
  lockfile.packages = sortByPath(packages);
  writeFileSync(path, `${JSON.stringify(lockfile, null, 2)}\n`);
  console.log(
    `package-lock.json: ${missing.length} packages of other platforms and ${told.length} integrities added`,
  );
}

function check({ packages }) {
  const problems = [
    ...findMissing(packages).map(
      ({ parent, name }) => `${name}, an optional dependency of ${parent}, is missing`,
    ),
    ...Object.entries(packages)
      .filter(([, entry]) => entry.resolved?.includes("://"))
      .map(([place]) => `${place} names a registry`),
    ...Object.entries(packages)
      .filter(([place, entry]) => lacksIntegrity(place, entry) && !mayLackIntegrity(entry))
      .map(([place]) => `${place} has no integrity`),
  ];
  if (problems.length === 0) return;
  console.error(`${problems.join("\n")}\nRun: npm run lockfile`);
  process.exitCode = 1;
}

/**
 * Returns whether an entry lacks an integrity. Entries for packages of this repository are links and folders, which
 * need none.
 */
function lacksIntegrity(place, { link, integrity }) {
  return place.includes("node_modules/") && !link && !integrity;
}

/**
 * True for optional development packages for one platform. Users install packages of all other kinds, and an entry
 * without a platform would be installed everywhere.
 */
function mayLackIntegrity({ dev, optional, cpu }) {
  return dev === true && optional === true && cpu !== undefined;
}

/** Adds the integrity hash from the registry. Returns false if the registry does not have this exact version. */
function addIntegrity(place, entry) {
  const name = place.split("node_modules/").at(-1);
  try {
    const args = ["view", `${name}@${entry.version}`, "dist.integrity"];
    const integrity = execFileSync("npm", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
    if (integrity === "") return false;
    entry.integrity = integrity;
    return true;
  } catch (error) {
    if (String(error.stderr).includes("E404") && mayLackIntegrity(entry)) return false;
    throw error;
  }
}

function findMissing(packages) {
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => !isInstalled(packages, parent, name, version))
      .map(([name, version]) => ({ parent, name, version })),
  );
}

/** Looks for a package where Node would: next to the parent, then in every folder above. */
function isInstalled(packages, parent, name, version) {
  const steps = parent.split("/node_modules/");
  for (let depth = steps.length; depth >= 0; depth--) {
    const folder = steps.slice(0, depth).join("/node_modules/");
    const found = packages[folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`];
    if (found) return !isExact(version) || found.version === version;
  }
  return false;
}

function placeFor(packages, parent, name) {
  const top = `node_modules/${name}`;
  return packages[top] ? `${parent}/${top}` : top;
}

/** Returns the platform in the name of a native package, as in `@next/swc-win32-arm64-msvc`. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = words.map((word) => systems[word]).find(Boolean);
  const cpu = words.find((word) => processors.includes(word));
  if (!cpu || (!os && cpu !== "wasm32")) throw new Error(`The name ${name} does not tell its platform.`);
  const libc = words.some((word) => /musl/.test(word))
    ? "musl"
    : words.some((word) => /^gnu/.test(word)) && "glibc";
  return { cpu: [cpu], ...(libc ? { libc: [libc] } : {}), ...(os ? { os: [os] } : {}) };
}

function isExact(version) {
  return /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version);
}

function sortByPath(packages) {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en")));
}
