import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findProgram } from "./find-program.js";
import type { Cleanup } from "./test-database.js";

/** Returns the path of nginx on this machine, if installed. */
export function findNginx(): string | undefined {
  return findProgram("nginx");
}

export function findProxy(program: "nginx" | "caddy"): string | undefined {
  return findProgram(program);
}

export const nginxMissing =
  "There is no nginx on this machine. Install it (Debian: apt-get install --no-install-recommends nginx).";

const attemptsMax = 5;

/**
 * Runs nginx in its own folder with the given `http` block, on the given ports or on free ports. Resolves with the
 * ports when nginx accepts connections on all of them.
 */
export async function startNginx(
  program: string,
  configure: (ports: readonly number[]) => string,
  at: number | readonly number[],
  cleanup: Cleanup,
): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-nginx-"));
  cleanup(() => rm(folder, { recursive: true, force: true }));
  for (let attempt = 1; ; attempt += 1) {
    const ports = typeof at === "number" ? await freePorts(at) : at;
    await writeFile(join(folder, "nginx.conf"), frame(folder, configure(ports)));
    const said: string[] = [];
    const child = spawn(program, ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr.on("data", (chunk) => said.push(String(chunk)));
    cleanup(() => stop(child));
    if (await takesConnections(child, ports)) return ports;
    // Another process took a port before nginx could listen on it.
    if (attempt === attemptsMax || !said.join("").includes("Address already in use"))
      throw new Error(`nginx did not start:\n${said.join("")}`);
  }
}

/**
 * Returns the configuration around the `http` block. nginx runs as one process, in the foreground, and writes only
 * below `folder`.
 */
function frame(folder: string, http: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((each) => `  ${each}_temp_path ${folder}/${each};`)
    .join("\n");
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
${temporary}
${http}
}
`;
}

/** Returns a free port. It stays free, because it is outside the range from which the kernel assigns ports. */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    if (!(await answers(port))) return port;
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => Object(server.address()).port as number);
  await Promise.all(
    servers.map((server) => {
      server.close();
      return once(server, "close");
    }),
  );
  return ports;
}

/** Resolves when nginx accepts connections on all ports. Returns false if nginx exits instead. */
async function takesConnections(child: ChildProcess, ports: readonly number[]): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    if ((await Promise.all(ports.map(answers))).every(Boolean)) return true;
    await delay(10);
  }
  return false;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await closed;
}
