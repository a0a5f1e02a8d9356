import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "./kit/test-database.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const servers = join(root, "scripts/dev-servers.mjs");

describe.runIf(process.platform === "linux")("npm run dev", () => {
  it("[CLI-96] listens on loopback only, has its pages talk to the broker of --port, and prints their sign-in link", async () => {
    const dev = await startDev();
    const broker = await dev.prints(/broker +(http:\S+)/);
    const [pages] = (await dev.prints(/you open +(http:\S+\/#verify=mkv_[\w-]{43})/)).split("/#");
    expect(new URL(broker).port).not.toBe("7423");
    expect(pages).not.toBe(broker);

    // Next.js prints this line when it listens.
    await dev.prints(/Local: +(http:\S+)/);
    const throughPages = await (
      await fetch(`${pages?.replace("localhost", "127.0.0.1")}/api/app-info`)
    ).json();
    const direct = await (await fetch(`${broker}/api/app-info`)).json();
    expect(throughPages.broker_id).toBe(direct.broker_id);
    expect(direct.mcp_url).toBe(`${broker}/api/mcp`);

    const tree = await listTree(dev.pid);
    const listeners = await listListeners(tree);
    expect(listeners.map(({ port }) => String(port))).toEqual(
      expect.arrayContaining([new URL(broker).port, new URL(pages ?? "").port]),
    );
    expect(listeners.filter(({ isLoopback }) => !isLoopback)).toEqual([]);

    await dev.end();
    await expect.poll(() => listRunning(tree)).toEqual([]);
  });
});

/** Runs the last step of `npm run dev`, after everything is built. */
async function startDev() {
  const home = await mkdtemp(join(tmpdir(), "merkle-dev-"));
  const env = {
    ...process.env,
    MERKLE_HOME: home,
    DATABASE_URL: await createTestDatabase(),
    MERKLE_PORT: "",
  };
  const child = spawn(process.execPath, [servers, "--port", "0"], {
    ...{ cwd: root, env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("node did not start.");
  const exited = once(child, "exit");
  onTestFinished(async () => {
    // Any processes left here mean that the test failed.
    if (child.exitCode === null) for (const each of await listTree(pid)) process.kill(each, "SIGKILL");
    await exited;
    await rm(home, { recursive: true, force: true });
  });
  const lines: string[] = [];
  let changed: () => void = () => undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    changed();
  });
  return {
    pid,
    /** Resolves with the pattern's first group, from the first printed line that matches. */
    async prints(pattern: RegExp): Promise<string> {
      while (true) {
        const match = lines.map((line) => pattern.exec(line)?.[1]).find((each) => each !== undefined);
        if (match !== undefined) return match;
        await Promise.race([
          new Promise<void>((resolve) => {
            changed = resolve;
          }),
          exited.then(() => Promise.reject(new Error(`dev ended after:\n${lines.join("\n")}`))),
        ]);
      }
    },
    async end(): Promise<void> {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Returns a process id and the ids of all its descendants. */
async function listTree(pid: number): Promise<number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(ids.map(async (id) => [id, await parentOf(id)] as const));
  const tree = [pid];
  for (const member of tree)
    tree.push(...parents.filter(([, parent]) => parent === member).map(([id]) => id));
  return tree;
}

async function parentOf(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const parent = /\) \S (\d+)/.exec(stat)?.[1];
  return parent === undefined ? null : Number(parent);
}

/** Returns the command lines of the processes that are still running. */
async function listRunning(tree: readonly number[]): Promise<string[]> {
  const commands = tree.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""));
  return (await Promise.all(commands))
    .filter((command) => command !== "")
    .map((command) => command.replaceAll("\0", " "));
}

interface Listener {
  readonly port: number;
  readonly isLoopback: boolean;
}

/** Returns the TCP sockets on which these processes listen. */
async function listListeners(tree: readonly number[]): Promise<Listener[]> {
  const held = new Set((await Promise.all(tree.map(listSockets))).flat());
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8")));
  return tables.flatMap((table) =>
    table
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = ""]) => state === "0A" && held.has(inode))
      .map(([, local = ""]) => toListener(local)),
  );
}

async function listSockets(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => "")));
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

/** Parses an address in the kernel's format: `0100007F:1CFF` is 127.0.0.1:7423. */
function toListener(local: string): Listener {
  const [address = "", port = ""] = local.split(":");
  const isLoopback = address.endsWith("7F") || address === "00000000000000000000000001000000";
  return { port: Number.parseInt(port, 16), isLoopback };
}
