import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Redis as a durable log: a message added to a stream is on disk before the reply. */
export interface RedisServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts `redis-server` on a free port on this machine, with its files below `folder`. Returns null if it is not
 * installed.
 */
export async function startRedisServer(folder: string): Promise<RedisServer | null> {
  const files = await mkdtemp(join(folder, "redis-"));
  const port = await findFreePort();
  const settings = {
    port,
    bind: "127.0.0.1",
    dir: files,
    save: "",
    appendonly: "yes",
    appendfsync: "always",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = Promise.race([once(server, "exit"), once(server, "error").catch(() => undefined)]);
  let isReady = false;
  for await (const line of createInterface({ input: server.stdout })) {
    isReady = line.includes("Ready to accept connections");
    if (isReady) break;
  }
  server.stdout.resume();
  if (!isReady) return null;
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      server.kill();
      await ended;
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("A server on a port has a port.");
  return address.port;
}
