import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { connect } from "@merkle/wire/client";
import { WebSocket } from "ws";
import type { LiveBroker } from "./measurement.js";

const program = fileURLToPath(new URL("../../apps/cli/bin/merkle.mjs", import.meta.url));

/** Starts `merkle up` from this checkout, in a temporary home that is deleted at the end. */
export async function startLiveBroker(): Promise<LiveBroker> {
  const home = await mkdtemp(join(tmpdir(), "merkle-bench-"));
  await chmod(home, 0o711);
  const child = spawn(process.execPath, [program, "up", "--port", "0"], {
    env: { PATH: process.env["PATH"], HOME: home, MERKLE_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) if (line.includes("agents use")) break;
  child.stdout.resume();
  const { url, port } = JSON.parse(await readFile(join(home, "broker.json"), "utf8"));
  const client = connect({ url, WebSocket });
  return {
    url,
    port,
    client,
    async stop() {
      await client.close();
      child.kill("SIGINT");
      await ended;
      await rm(home, { recursive: true, force: true });
    },
  };
}
