import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmdirSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium, findFirefox, findProgram, findWholeChromium } from "./find-program.js";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;
const isMounter = isLinux && isRoot && canMount();

/**
 * Each reason for skipping a test is a tag: `it("…", { tags: "nginx" }, …)` runs only where nginx is installed.
 * Elsewhere, the last lines of `npm test` count the skipped tests under the tag's description.
 */
export const tags = [
  { name: "long", description: "long (npm run test:exhaustive)" },
  need("chromium", findChromium(), "need Chromium (apt-get install chromium)"),
  need("whole-chromium", findWholeChromium(), "need a Chromium with windows (apt-get install chromium)"),
  need("firefox", findFirefox(), "need Firefox (apt-get install firefox-esr)"),
  need("nginx", findProgram("nginx"), "need nginx (apt-get install nginx)"),
  need("caddy", findProgram("caddy"), "need Caddy (apt-get install caddy)"),
  need("nats", findProgram("nats-server"), "need NATS (apt-get install nats-server)"),
  need("python", findProgram("python3"), "need Python (apt-get install python3)"),
  need("curl", findProgram("curl"), "need curl (apt-get install curl)"),
  need("systemd", findProgram("systemd-analyze"), "need systemd (apt-get install systemd)"),
  need("fish", findProgram("fish"), "need fish (apt-get install fish)"),
  need("zsh", findProgram("zsh"), "need zsh (apt-get install zsh)"),
  need("terminal", isLinux && findProgram("script"), "need script, which gives them a terminal"),
  need("postgres15", findPostgres15(), "need PostgreSQL 15 (npm install --no-save postgres-15-linux-x64)"),
  need("linux", isLinux, "need Linux"),
  need("posix", process.platform !== "win32", "need a system other than Windows"),
  need("root", isLinux && isRoot, "need root on Linux"),
  need("mounts", isMounter, "need root that may mount file systems"),
  need("read-only", isMounter || !isRoot, "need root that may mount file systems, or another user"),
  need("networks", isLinux && isRoot && findProgram("ip"), "need root and ip (apt-get install iproute2)"),
  need("namespaces", isLinux && canMakeNamespaces(), "need namespaces for processes"),
];

/**
 * Returns a tag. If the requirement is met, `skip` is left unset, because the last of a test's tags that sets `skip`
 * decides.
 */
function need(name: string, found: unknown, description: string) {
  return { name, description, ...(!found && { skip: true }) };
}

/** Returns whether the oldest PostgreSQL that Merkle supports is installed. */
function findPostgres15(): boolean {
  try {
    return existsSync(createRequire(import.meta.url).resolve("postgres-15-linux-x64"));
  } catch {
    return false;
  }
}

/** Returns whether mounting works. Root in a container is often not allowed to mount. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "merkle-mount-"));
  const isDone = succeeds("mount", "-t", "tmpfs", "tmpfs", folder) && succeeds("umount", folder);
  rmdirSync(folder);
  return isDone;
}

/**
 * Returns whether namespaces can be created. Many systems forbid the user namespaces that unprivileged users need for a
 * PID namespace.
 */
function canMakeNamespaces(): boolean {
  const asUser = isRoot ? [] : ["--user", "--map-root-user"];
  return succeeds("unshare", ...asUser, "--pid", "--fork", "--mount-proc", "true");
}

function succeeds(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
