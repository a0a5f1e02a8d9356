import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { root } from "../../../scripts/steps.mjs";

const dist = join(root, "apps/cli/dist");
const main = join(dist, "main.js");
/** The entry file of the runner process. Does not exist in a build without the `jobs` feature. */
const runnerProcess = join(dist, "features/jobs/runner/runner-process.js");
/** The commands that people and agents run most often. */
const frequentCommands = [
  "commands/post.js",
  "commands/inbox.js",
  "commands/ls.js",
  "commands/status.js",
  "features/brief/brief.js",
  "features/tasks/tasks.js",
]
  .map((file) => join(dist, file))
  .filter(existsSync);
/** A command that needs nothing but main: it loads no part of the contract (PACK-4). */
const versionCommand = join(dist, "commands/version.js");

/** Options of every build. */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  // Not minified: minified code starts no faster, saves only 0.1 MB next to 60 MB of PostgreSQL, and has
  // unreadable stack traces. License texts are not kept in the bundle, because THIRD-PARTY-NOTICES.txt
  // contains them in full.
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};

/**
 * Bundles the compiled command into `folder`, together with the entry files for the worker thread, the runner
 * process and the modules that clients load. Code that a command does not use is in separate chunks. All
 * chunks are in one folder, because files are found relative to the chunk that reads them. Returns the
 * bundled files as paths relative to the repository.
 *
 * @throws Error if an imported package is neither bundled nor built into Node
 */
export async function bundle(folder) {
  const { metafile } = await build({
    ...common,
    entryPoints: {
      main,
      worker: join(root, "apps/broker/dist/start/worker.js"),
      ...(existsSync(runnerProcess) && { "runner-process": runnerProcess }),
    },
    outdir: folder,
    splitting: true,
    format: "esm",
    // The CommonJS build of jsonc-parser loads its modules in a way that esbuild cannot follow.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    plugins: [validatorWhenNeeded, fewChunks],
  });
  await addRequire(metafile);
  const others = await Promise.all([bundleValidator(folder), bundleClientModules(folder)]);
  for (const each of [metafile, ...others]) refuseUnbundled(each);
  return [...new Set([metafile, ...others].flatMap(({ inputs }) => Object.keys(inputs)))];
}

/**
 * Adds `require` to the chunks that call it: some bundled packages are CommonJS and need it for Node's built-in
 * modules. Creating it takes as long as reading a small chunk.
 */
async function addRequire({ outputs }) {
  for (const file of Object.keys(outputs).map((path) => join(root, path))) {
    const code = await readFile(file, "utf8");
    if (!/\brequire\b/.test(code)) continue;
    const header =
      'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);';
    await writeFile(file, `${header}\n${code}`);
  }
}

/** Bundles the modules that clients load into their own processes, each in one file. */
async function bundleClientModules(folder) {
  const names = ["client-socket", "opencode-plugin"];
  const { metafile } = await build({
    ...common,
    entryPoints: names.map((name) => join(dist, `clients/${name}.js`)),
    outdir: folder,
    format: "esm",
  });
  return metafile;
}

/**
 * The module in which the MCP SDK loads its JSON Schema validator. Loading the validator takes longer than
 * the rest of the startup of `merkle mcp`, although it only checks answers to questions that Merkle never
 * asks. The bundle therefore loads it on demand, from a separate file, because a shared chunk would contain
 * two thirds of the SDK.
 */
const ajvProvider = /[/\\]validation[/\\]ajv-provider\.js$/;
const validatorFile = "json-schema-validator.cjs";
const validatorWhenNeeded = {
  name: "validator-when-needed",
  setup(build) {
    build.onLoad({ filter: ajvProvider }, () => ({
      contents: `import { createRequire } from "node:module";
        export class AjvJsonSchemaValidator {
          #whole;
          getValidator(schema) {
            const { AjvJsonSchemaValidator: Whole } = createRequire(import.meta.url)("./${validatorFile}");
            this.#whole ??= new Whole();
            return this.#whole.getValidator(schema);
          }
        }`,
    }));
  },
};

async function bundleValidator(folder) {
  const { metafile } = await build({
    ...common,
    entryPoints: [join(root, "node_modules/@modelcontextprotocol/sdk/dist/esm/validation/ajv-provider.js")],
    outfile: join(folder, validatorFile),
    format: "cjs",
  });
  return metafile;
}

/**
 * Keeps the code that main loads at startup in one chunk, and what frequent commands need in another. Otherwise
 * esbuild would create a chunk for each set of modules that the same parts share: more than forty for `merkle
 * post`, and Node takes as long to find and link such a file as to run it. In this build every part that is
 * loaded later also imports main and the frequent commands, so all parts share all of their modules.
 */
const isInstalled = (file) => /[/\\]node_modules[/\\]/.test(file);
const resolving = "resolving";
const fewChunks = {
  name: "few-chunks",
  setup(build) {
    build.onResolve({ filter: /^(?:\.\.?\/|\/|@merkle\/)/ }, async ({ path, pluginData, ...from }) => {
      const isPart =
        from.kind === "dynamic-import"
          ? !isInstalled(from.importer)
          : from.kind === "entry-point" && path !== main;
      if (!isPart || pluginData === resolving) return undefined;
      const { path: file } = await build.resolve(path, { ...from, pluginData: resolving });
      return { path: relative(root, file), namespace: "part" };
    });
    build.onLoad({ filter: /./, namespace: "part" }, ({ path }) => {
      const file = join(root, path);
      const shared = file === versionCommand ? [main] : [main, ...frequentCommands];
      const imports = shared.map((each) => `import ${JSON.stringify(each)};`);
      return {
        contents: `${imports.join("\n")} export * from ${JSON.stringify(file)};`,
        resolveDir: root,
      };
    });
  },
};

/** Native addons that make ws slightly faster. ws also works without them. */
const optional = new Set(["bufferutil", "utf-8-validate"]);

function refuseUnbundled({ outputs }) {
  const imported = Object.values(outputs).flatMap((output) => output.imports.filter((each) => each.external));
  const known = new Set([...builtinModules, ...optional]);
  const unknown = imported.map(({ path }) => path.replace(/^node:/, "")).filter((path) => !known.has(path));
  if (unknown.length > 0) throw new Error(`The bundle lacks ${[...new Set(unknown)].join(", ")}.`);
}
