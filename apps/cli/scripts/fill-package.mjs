import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../../scripts/steps.mjs";
import { bundle } from "./bundle.mjs";
import { packageFolder } from "./made.mjs";
import { thirdPartyNotices } from "./third-party-notices.mjs";

/**
 * Writes the built parts of the package into `folder`: the licences, the man pages and `bundle/`, which contains migrations,
 * SQL, skills and the dashboard (if it is built). Everything must already be compiled.
 */
export async function fillPackage(folder) {
  const into = join(folder, "bundle");
  const bundled = await bundle(into);
  for (const part of ["migrations", "sql"])
    await cp(join(root, "packages/db", part), join(into, part), { recursive: true });
  await cp(join(packageFolder, "skills"), join(into, "skills"), { recursive: true });
  await copyDashboard(join(into, "dashboard"));
  await writeManPages(join(folder, "man"));
  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
  await writeFile(join(folder, "THIRD-PARTY-NOTICES.txt"), thirdPartyNotices(bundled));
}

/** Writes the whole package into `folder`, as `npm pack` would: the built parts, `package.json` and `bin`. */
export async function writePackage(folder) {
  for (const part of ["package.json", "bin", "README.md"])
    await cp(join(packageFolder, part), join(folder, part), { recursive: true });
  await fillPackage(folder);
}

/** Writes the man pages, which npm links when a user installs the package globally (INSTALL-13). */
async function writeManPages(into) {
  // Imported dynamically, because the compiled modules exist only after the build.
  const compiled = (/** @type {string} */ name) => import(join(root, "apps/cli/dist", name));
  const [{ renderManPages }, { commandGroups }, { globalFlags }, { environmentVariables }] =
    await Promise.all(
      ["command/man-pages.js", "commands.js", "command/program.js", "command-descriptions.js"].map(compiled),
    );
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  const pages = renderManPages({
    groups: commandGroups,
    flags: globalFlags,
    variables: environmentVariables,
    version,
  });
  await mkdir(into, { recursive: true });
  for (const [name, text] of Object.entries(pages)) await writeFile(join(into, name), text);
}

async function copyDashboard(into) {
  // Excludes the source of the service worker and the empty source maps, which Next leaves next to the
  // compiled files. No page requests these files.
  const filter = (/** @type {string} */ file) => !/\.(?:ts|map)$/.test(file);
  await cp(join(root, "apps/dashboard/out"), into, { recursive: true, filter }).catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });
}
