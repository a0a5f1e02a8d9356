import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../../scripts/steps.mjs";

/**
 * Returns the licenses of all third-party code in the package: the packages that `bundled` files belong to,
 * and the packages used in the dashboard's pages. Packages with the same license text are listed together
 * above it.
 *
 * @throws Error if the license of a package cannot be found, because the package must not be distributed
 * without it
 */
export function thirdPartyNotices(bundled) {
  const notices = packagesIn(bundled).flatMap(noticesOf);
  const byText = new Map();
  for (const { name, text } of notices.sort((a, b) => a.name.localeCompare(b.name, "en"))) {
    byText.set(text, (byText.get(text) ?? new Set()).add(name));
  }
  return [
    "Merkle contains the following software of others, under the following licenses.",
    ...[...byText].map(([text, names]) => `${[...names].join("\n")}\n\n${text}`),
  ].join(`\n\n${"-".repeat(80)}\n\n`);
}

/** Returns the folders of all third-party packages whose code is in our package. */
export function packagesIn(bundled) {
  return [...new Set([...bundled.map(packageOf).filter(Boolean), ...dashboardPackages()])];
}

/** Returns the folder of the third-party package that a file belongs to, or undefined for our own files. */
function packageOf(path) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** Matches packages that only build the pages and are not part of them. */
const buildsOnly = /^(?:@types\/|@merkle\/|@tailwindcss\/)/;

/** The parts of Next that are sent to browsers. */
const nextInBrowser = {
  packages: ["@swc/helpers"],
  parts: ["process", "react", "react-dom", "react-server-dom-turbopack", "scheduler"],
};

/** Returns the folders of all direct and indirect dependencies of the dashboard. */
function dashboardPackages() {
  const found = new Set();
  const visit = (name, from) => {
    const folder = findPackage(name, from);
    if (found.has(folder)) return;
    found.add(folder);
    const { dependencies = {} } = describe(folder);
    const needed = name === "next" ? nextInBrowser.packages : Object.keys(dependencies);
    for (const each of needed.filter((each) => !buildsOnly.test(each))) visit(each, folder);
  };
  const { dependencies = {}, devDependencies = {} } = describe("apps/dashboard");
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    if (!buildsOnly.test(name)) visit(name, "apps/dashboard");
  }
  return found;
}

/** Finds a package as Node does: in the folder itself, then in each parent folder. */
function findPackage(name, from) {
  const steps = from.split("/");
  for (let depth = steps.length; depth >= 0; depth--) {
    const folder = [...steps.slice(0, depth), "node_modules", name].join("/");
    if (existsSync(join(root, folder, "package.json"))) return folder;
  }
  throw new Error(`The package ${name}, which ${from} needs, is not installed.`);
}

function noticesOf(folder) {
  const { name, version, license } = describe(folder);
  const own = { name: `${name} ${version} (${license})`, text: licenseOf(folder) };
  if (name !== "next") return [own];
  const parts = nextInBrowser.parts.map((part) => ({
    name: `${part}, as it comes with next`,
    text: licenseIn(`${folder}/dist/compiled/${part}`) ?? licenseOf(folder),
  }));
  const polyfills = {
    name: "core-js, as it comes with next (MIT)",
    text: `Copyright (c) 2014-2024 Denis Pushkarev\n\n${knownLicense("MIT")}`,
  };
  return [own, ...parts, polyfills];
}

function licenseOf(folder) {
  const found = licenseIn(folder);
  if (found !== undefined) return found;
  // A few packages name their license without including its text.
  const { name, license, author } = describe(folder);
  const text = knownLicense(license);
  if (text === undefined) throw new Error(`${name} brings no license, and ${license} is not known here.`);
  const holder = typeof author === "string" ? author : author?.name;
  return `Copyright (c) ${holder ?? `the authors of ${name}`}\n\n${text}`;
}

function licenseIn(folder) {
  const files = readdirSync(join(root, folder)).filter((file) =>
    /^(?:licen[cs]e|copying|notice)(?:\.\w+)?$/i.test(file),
  );
  if (files.length === 0) return undefined;
  return files.map((file) => tidy(readFileSync(join(root, folder, file), "utf8"))).join("\n\n");
}

function knownLicense(name) {
  const path = fileURLToPath(new URL(`licenses/${name}.txt`, import.meta.url));
  return existsSync(path) ? tidy(readFileSync(path, "utf8")) : undefined;
}

function describe(folder) {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}

function tidy(text) {
  return text.replace(/\r\n/g, "\n").trim();
}
