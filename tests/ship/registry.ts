import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";

const run = promisify(execFile);

// Later versions of Verdaccio require a later Node.js than Merkle does. The override replaces a dependency that is
// specified by a tag, because some registries cannot resolve tags.
const description = { dependencies: { verdaccio: "6.1.6" }, overrides: { "node-fetch": "2.7.0" } };

export interface Registry {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a local registry that stores its files below `folder`. It fetches all other packages from the registry that
 * npm is configured to use.
 */
export async function startRegistry(folder: string): Promise<Registry> {
  const { stdout: upstream } = await run("npm", ["config", "get", "registry"]);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const config = {
    storage: join(folder, "storage"),
    uplinks: { upstream: { url: upstream.trim(), timeout: "120s" } },
    packages: {
      "@merkle-mesh/*": { access: "$all", publish: "$all" },
      "**": { access: "$all", proxy: "upstream" },
    },
    log: { type: "stdout", format: "pretty", level: "warn" },
    max_body_size: "200mb",
  };
  const path = join(folder, "config.yaml");
  // The configuration is written as JSON, which is valid YAML.
  await writeFile(path, JSON.stringify(config));
  await writeFile(join(folder, "package.json"), JSON.stringify(description));
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder });
  const program = join(folder, "node_modules/verdaccio/bin/verdaccio");
  const server = spawn(process.execPath, [program, "--config", path, "--listen", url], {
    cwd: folder,
    stdio: "inherit",
  });
  const closed = once(server, "close");
  const stop = async () => {
    server.kill("SIGTERM");
    await closed;
  };
  try {
    await vi.waitFor(() => fetch(`${url}/-/ping`), { timeout: 240_000, interval: 200 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address === "object" && address !== null) return address.port;
  throw new TypeError("A server that listens has a port.");
}
