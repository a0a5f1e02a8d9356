import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { npxCommand, packageName } from "@merkle/wire/text";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Registry, startRegistry } from "./registry.js";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

const run = promisify(execFile);
const checkout = fileURLToPath(new URL("../..", import.meta.url));

let registry: Registry;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "merkle-registry-"));
  registry = await startRegistry(folder);
  await publish(folder);
  return async () => {
    await registry.stop();
    await rm(folder, { recursive: true, force: true });
  };
});

/** Packs the npm package and publishes it to the test's registry. */
async function publish(folder: string): Promise<void> {
  const packing = ["pack", "--ignore-scripts=false", "--workspace", "apps/cli", "--pack-destination", folder];
  const { stdout } = await run("npm", packing, { cwd: checkout });
  const tarball = join(folder, stdout.trim().split("\n").at(-1) ?? "");
  const npmrc = join(folder, "npmrc");
  await writeFile(npmrc, `${registry.url.replace("http:", "")}/:_authToken=nobody\n`);
  const options = ["--registry", registry.url, "--userconfig", npmrc, "--provenance=false"];
  await run("npm", ["publish", tarball, ...options], { cwd: folder });
}

/** A user account on a machine that has only Node.js and standard Linux programs. */
interface Account {
  readonly home: string;
  /** Runs npx with the test's registry. `env` can override this, for example with an unreachable registry. */
  npx(args: readonly string[], env?: Readonly<Record<string, string>>): ReturnType<typeof spawn>;
}

async function makeAccount(uid: number, ignoreScripts: boolean): Promise<Account> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "merkle-account-")));
  await chmod(home, 0o755);
  await chown(home, uid, uid);
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return {
    home,
    npx: (args, env = {}) =>
      spawn("npx", args, {
        cwd: home,
        uid,
        gid: uid,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
          HOME: home,
          MERKLE_HOME: join(home, ".merkle"),
          npm_config_registry: registry.url,
          npm_config_ignore_scripts: String(ignoreScripts),
          npm_config_update_notifier: "false",
          ...env,
        },
      }),
  };
}

/** Resolves when the program has printed matching text. If the program ends first, rejects with all of its output. */
async function untilWritten(program: ReturnType<typeof spawn>, wanted: RegExp): Promise<RegExpExecArray> {
  let written = "";
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      written += chunk;
      const found = wanted.exec(written);
      if (found) resolve(found);
    };
    program.stdout?.on("data", take);
    program.stderr?.on("data", take);
    program.once("close", (code) => reject(new Error(`ended with ${code} after:\n${written}`)));
  });
}

/** Expects that the broker started by npx serves pages and stops on SIGINT. */
async function expectServing(program: ReturnType<typeof spawn>): Promise<void> {
  const ended = once(program, "close");
  const [, url] = await untilWritten(program, /broker +(http:\/\/\S+)/);
  expect(await (await fetch(url ?? "")).text()).toContain("<title>Sessions</title>");
  expect((await fetch(`${url}/health`)).status).toBe(200);
  // Signals the process group, as a terminal does, so that npx and its shell also get the signal.
  if (program.pid !== undefined) process.kill(-program.pid, "SIGINT");
  await ended;
}

/** Returns the folder into which npx downloaded the packages. */
async function fetched({ home }: Account): Promise<string> {
  const caches = await readdir(join(home, ".npm/_npx"));
  expect(caches).toHaveLength(1);
  return join(home, ".npm/_npx", caches[0] ?? "", "node_modules");
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const accounts =
  process.getuid?.() === 0
    ? [
        { who: "root", uid: 0, ignoreScripts: false },
        { who: "a user, without install scripts", uid: 65_534, ignoreScripts: true },
      ]
    : [{ who: "a user, without install scripts", uid: process.getuid?.() ?? 0, ignoreScripts: true }];

describe.each(accounts)("as $who", ({ uid, ignoreScripts }) => {
  it("[PACK-6] npx alone is a broker with its database and dashboard, and again without a network", async () => {
    const account = await makeAccount(uid, ignoreScripts);
    await expectServing(account.npx(["-y", packageName], { MERKLE_PORT: "0" }));

    const modules = await fetched(account);
    const lock = JSON.parse(await readFile(join(modules, ".package-lock.json"), "utf8"));
    const packages = Object.keys(lock.packages);
    const bytes = await sizeOf(modules);
    process.stdout.write(
      `${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB: ${packages.join(", ")}\n`,
    );
    expect(packages.length).toBeLessThanOrEqual(5);
    expect(bytes).toBeLessThanOrEqual(100e6);

    const offline = { npm_config_offline: "true" };
    await expectServing(account.npx(["-y", packageName], { MERKLE_PORT: "0", ...offline }));

    const snippet = account.npx(["-y", packageName, "install", "--client", "cursor"], offline);
    await untilWritten(snippet, /"command": "npx",\s+"args": \[\s+"-y",\s+"@merkle-mesh\/cli",\s+"mcp"/);
    expect(npxCommand).toBe("npx -y @merkle-mesh/cli");
  });
});

it("[PACK-6] installed for good it is the command merkle", async () => {
  const account = await makeAccount(process.getuid?.() ?? 0, true);
  const prefix = join(account.home, "prefix");
  await mkdir(prefix);
  const npm = ["install", "--global", "--prefix", prefix, "--registry", registry.url, packageName];
  await run("npm", npm, { cwd: account.home, env: { ...process.env, HOME: account.home } });
  const { stdout } = await run(join(prefix, "bin/merkle"), ["version"]);
  const { version } = JSON.parse(await readFile(join(checkout, "apps/cli/package.json"), "utf8"));
  expect(stdout).toBe(`${version}\n`);
});
