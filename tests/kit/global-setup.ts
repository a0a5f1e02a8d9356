import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findChromium } from "./find-program.js";
import { forgetMachine } from "./forget-machine.js";
import { findNeeds } from "./preparations.js";
import { makeRunFolder, type RunFolder } from "./run-folder.js";
import { provideServerUser } from "./server-user.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The bus between nodes, if each test broker consists of several nodes (`npm run test:nodes`). */
    bus: "postgres" | "nats" | undefined;
    /**
     * The server that hosts all test databases, and the migrated, empty database from which each test database is
     * copied.
     */
    postgres: { serverUrl: string; template: string };
    /**
     * The bundled command as users have it, or the command of the checkout that `MERKLE_TEST_CLONE` names. The bundle
     * starts twice as fast as separate modules.
     */
    program: string;
    /**
     * A Merkle home with a new PostgreSQL that is not running. Tests copy it instead of creating their own. Empty for
     * the command of another checkout, whose database has another schema.
     */
    preparedHome: string;
  }
}

/** A built checkout of another version. Only its command is used. */
const clone = process.env["MERKLE_TEST_CLONE"];

/** Prepares everything that the selected test files need. Fails the run if anything is left over when it ends. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  endWithStarter();
  // Every process started from here on inherits the environment.
  forgetMachine(process.env);
  // After `su` without a login shell, root's PATH lacks the folders of useradd and userdel.
  if (process.platform !== "win32") process.env["PATH"] = `${process.env["PATH"]}:/usr/sbin:/sbin`;
  // Tests about file modes set the modes, or their own umask.
  process.umask(0o022);
  const needs = findNeeds(await chosenFiles(project));
  const steps = await importScript<Steps>("scripts/steps.mjs");
  if (needs.has("conformance")) await steps.install("tools/conformance");
  if (needs.has("dashboard") && findChromium() !== undefined) await steps.buildPages();

  const removeServerUser = await provideServerUser();
  const folder = await makeRunFolder(project.tmpDir);
  const home = join(folder.path, "shared");
  await mkdir(home);
  await chmod(home, 0o711);
  // Node.js 22 and later cache compiled code in this folder. A second `merkle up` then takes two thirds of the
  // processor time.
  process.env["NODE_COMPILE_CACHE"] ??= join(home, "compiled");
  // Loaded on demand, because loading the module that starts servers takes a second.
  const servers =
    needs.has("postgres") || needs.has("preparedHome") ? await import("./servers.js") : undefined;
  const [server, program, prepared] = await Promise.all([
    needs.has("postgres") ? servers?.startServer(home) : undefined,
    needs.has("program") ? provideProgram(home) : "",
    needs.has("preparedHome") && !clone ? servers?.prepareHome() : undefined,
  ]);
  project.provide("postgres", { serverUrl: server?.url ?? "", template: server?.template ?? "" });
  project.provide("program", program);
  project.provide("preparedHome", prepared?.path ?? "");

  return async () => {
    await prepared?.remove();
    await server?.stop();
    await rm(home, { recursive: true, force: true });
    await requireNothingLeft(folder);
    await removeServerUser();
  };
}

/** If `npm test` is killed, this process exits too, and the guard of the run folder cleans up. */
function endWithStarter(): void {
  process.once("disconnect", () => process.exit(1));
  process.channel?.unref();
}

/** Returns the test files in this run. */
async function chosenFiles({ vitest }: TestProject): Promise<string[]> {
  // Vitest has no public method that returns the test files before they run.
  const { filenamePattern } = vitest as unknown as { filenamePattern?: string[] };
  return (await vitest.globTestSpecifications(filenamePattern)).map(({ moduleId }) => moduleId);
}

async function requireNothingLeft(folder: RunFolder): Promise<void> {
  const leftovers = await folder.remove();
  if (leftovers.length === 0) return;
  process.send?.({ leftovers });
  process.stderr.write(
    `\nThe tests left behind, and it was removed now:\n${leftovers.map((each) => `  ${each}\n`).join("")}`,
  );
  process.exitCode = 1;
}

async function provideProgram(home: string): Promise<string> {
  if (clone) return join(clone, "apps/cli/bin/merkle.mjs");
  const script = await importScript<LayOut>("apps/cli/scripts/lay-out.mjs");
  const program = await script.layOutPackage(join(home, "program"));
  // Stops the bundler, whose process would otherwise keep running alongside the tests.
  const { stop } = await import("esbuild");
  await stop();
  return program;
}

/** Types for the scripts, which have no type declarations. */
interface Steps {
  install(folder: string): Promise<void>;
  buildPages(): Promise<void>;
}
interface LayOut {
  layOutPackage(folder: string): Promise<string>;
}

function importScript<Script>(path: string): Promise<Script> {
  return import(new URL(`../../${path}`, import.meta.url).href) as Promise<Script>;
}
