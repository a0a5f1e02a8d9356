/**
 * `npm run sbom -- merkle.cdx.json` writes the software bill of materials of the published package, in CycloneDX format. It lists
 * everything in the bundle and the pages, and the packages that npm installs with it. CycloneDX's own tool describes the whole
 * checkout. Packages that are not part of the published package, such as build tools, are removed.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../apps/cli/scripts/bundle.mjs";
import { packagesIn } from "../apps/cli/scripts/third-party-notices.mjs";
import { root } from "./steps.mjs";

const tool = "@cyclonedx/cyclonedx-npm@6.0.1";
const file = process.argv[2] ?? "merkle.cdx.json";
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

const folder = mkdtempSync(join(tmpdir(), "merkle-sbom-"));
try {
  const bill = describeTree(join(folder, "tree.json"));
  const command = describe("apps/cli");
  const bundled = packagesIn(await bundle(join(folder, "bundle"))).map(describe);
  const installed = Object.entries(command.optionalDependencies).map(([name, version]) => ({
    name,
    version,
  }));
  const shipped = reduce(bill, command, [...bundled, ...installed]);
  writeFileSync(file, `${JSON.stringify(shipped, null, 2)}\n`);
  process.stdout.write(`${file}: ${shipped.components.length} components\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Describes every package of the checkout, in all workspaces. */
function describeTree(path) {
  const options = [
    "--flatten-components",
    "--output-reproducible",
    "--spec-version",
    "1.6",
    "--output-file",
    path,
  ];
  execFileSync("npx", ["-y", tool, ...options], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Reduces the bill of materials to the command and its contents, each package once. */
function reduce(bill, command, shipped) {
  const nameOf = ({ group, name, version }) => `${[group, name].filter(Boolean).join("/")}@${version}`;
  const found = new Map(bill.components.map((each) => [nameOf(each), each]));
  const component = found.get(nameOf(command));
  const wanted = [...new Set(shipped.map(nameOf))].sort();
  // Packages for other platforms are not in this tree, so they are described from the lockfile.
  const components = wanted.map((each) => found.get(each) ?? plain(each));
  const refs = new Set(components.map((each) => each["bom-ref"]));
  const dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
  return {
    ...bill,
    metadata: { ...bill.metadata, component },
    components,
    dependencies: [{ ref: component["bom-ref"], dependsOn: [...refs] }, ...dependencies],
  };
}

function plain(fullName) {
  const at = fullName.lastIndexOf("@");
  const [name, version] = [fullName.slice(0, at), fullName.slice(at + 1)];
  const { license, integrity } = lock.packages[`node_modules/${name}`];
  const [algorithm, hash] = integrity.split("-");
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type: "library",
    name,
    version,
    "bom-ref": purl,
    purl,
    licenses: [{ license: { id: license } }],
    hashes: [{ alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(hash, "base64").toString("hex") }],
  };
}

function describe(place) {
  return JSON.parse(readFileSync(join(root, place, "package.json"), "utf8"));
}
