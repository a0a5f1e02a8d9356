import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { root } from "../../../scripts/steps.mjs";

const main = join(root, "apps/cli/dist/main.js");

/**
 * Bundles the compiled command, and the entries of a worker thread, of a runner's process and of what clients load, into `folder`: what a command does not use is in a
 * chunk that it does not load. Everything lies in the one folder, because what is read from disk is found relative to
 * the file that asks for it. Returns the files that were bundled, as paths from the root of the repository.
 *
 * @throws Error when a package is imported that is neither bundled nor Node's own
 */
export async function bundle(folder) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      main,
      worker: join(root, "apps/broker/dist/start/worker.js"),
      "runner-process": join(root, "apps/cli/dist/features/jobs/runner/runner-process.js"),
      // Loaded by clients, into processes of theirs.
      "client-socket": join(root, "apps/cli/dist/clients/client-socket.js"),
      "opencode-plugin": join(root, "apps/cli/dist/clients/opencode-plugin.js"),
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    // Some packages are CommonJS and require what Node brings.
    banner: {
      js: 'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);',
    },
    // Not minified: it starts no faster so, is 0.1 MB smaller beside 60 MB of PostgreSQL, and nobody could read its stack traces.
    // They are in THIRD-PARTY-NOTICES.txt, in full.
    legalComments: "none",
    // Its CommonJS asks for its parts in a way that cannot be followed.
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
 * The MCP SDK loads and sets up a JSON Schema validator, which costs more than everything else that `merkle mcp` does
 * before it answers, for the answers to questions that Merkle never asks. Here that waits for the first such answer, in a file
 * of its own: two thirds of the SDK's text would be read for it.
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
 * What is needed from the start and by a later part, too, would be a chunk of its own, and each is a file to be found and
 * read. Every part is loaded by main, and here says so: then all that main needs is needed by each, and is one chunk.
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

/** What makes ws a little faster where somebody has installed it; it does without. */
const optional = new Set(["bufferutil", "utf-8-validate"]);

function refuseUnbundled({ outputs }) {
  const imported = Object.values(outputs).flatMap((output) => output.imports.filter((each) => each.external));
  const known = new Set([...builtinModules, ...optional]);
  const unknown = imported.map(({ path }) => path.replace(/^node:/, "")).filter((path) => !known.has(path));
  if (unknown.length > 0) throw new Error(`The bundle lacks ${[...new Set(unknown)].join(", ")}.`);
}
