import { existsSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { root } from "../../../scripts/steps.mjs";

const main = join(root, "apps/cli/dist/main.js");
/** The entry file of the runner process. Does not exist in a build without the `jobs` feature. */
const runnerProcess = join(root, "apps/cli/dist/features/jobs/runner/runner-process.js");

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
    absWorkingDir: root,
    entryPoints: {
      main,
      worker: join(root, "apps/broker/dist/start/worker.js"),
      ...(existsSync(runnerProcess) && { "runner-process": runnerProcess }),
      // Clients load these files into their own processes.
      "client-socket": join(root, "apps/cli/dist/clients/client-socket.js"),
      "opencode-plugin": join(root, "apps/cli/dist/clients/opencode-plugin.js"),
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    // Some bundled packages are CommonJS and need `require` for Node's built-in modules.
    banner: {
      js: 'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);',
    },
    // Not minified: minified code starts no faster, saves only 0.1 MB next to 60 MB of PostgreSQL, and has
    // unreadable stack traces. License texts are not kept in the bundle, because THIRD-PARTY-NOTICES.txt
    // contains them in full.
    legalComments: "none",
    // The CommonJS build of jsonc-parser loads its modules in a way that esbuild cannot follow.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    plugins: [validatorWhenNeeded, mainInOnePiece],
    metafile: true,
    logLevel: "warning",
  });
  const validator = await bundleValidator(folder);
  refuseUnbundled(metafile);
  return [...new Set([...Object.keys(metafile.inputs), ...validator])];
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
    absWorkingDir: root,
    entryPoints: [join(root, "node_modules/@modelcontextprotocol/sdk/dist/esm/validation/ajv-provider.js")],
    outfile: join(folder, validatorFile),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  refuseUnbundled(metafile);
  return Object.keys(metafile.inputs);
}

/**
 * Keeps the code that main loads at startup in one chunk. Otherwise esbuild would create a chunk, i.e.
 * another file to read, for each set of modules that main shares with a part loaded later. In this build
 * every such part also imports main, so main shares all of its modules with every part, and one chunk is
 * enough.
 */
const mainInOnePiece = {
  name: "main-in-one-piece",
  setup(build) {
    build.onResolve({ filter: /^\.\.?\// }, ({ path, kind, importer, resolveDir }) => {
      if (kind !== "dynamic-import" || /[/\\]node_modules[/\\]/.test(importer)) return undefined;
      return { path: relative(root, join(resolveDir, path)), namespace: "part" };
    });
    build.onLoad({ filter: /./, namespace: "part" }, ({ path }) => ({
      contents: `import ${JSON.stringify(main)}; export * from ${JSON.stringify(join(root, path))};`,
      resolveDir: root,
    }));
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
