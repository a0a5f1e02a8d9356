import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openLeanNats } from "./lean-nats.js";

export interface NatsServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts `nats-server` on a free port on this machine. Returns null if it is not installed. */
export async function startNatsServer(args: readonly string[] = []): Promise<NatsServer | null> {
  const path = `${process.env["PATH"]}:/usr/sbin:/usr/local/bin`;
  const server = spawn("nats-server", ["-a", "127.0.0.1", "-p", "-1", ...args], {
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = Promise.race([once(server, "exit"), once(server, "error").catch(() => undefined)]);
  let port: string | undefined;
  for await (const line of createInterface({ input: server.stderr })) {
    port = /client connections on 127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? port;
    if (line.includes("Server is ready")) break;
  }
  server.stderr.resume();
  if (port === undefined) return null;
  return {
    url: `nats://127.0.0.1:${port}`,
    async stop() {
      server.kill();
      await ended;
    },
  };
}

/** The subjects of the messages that JetStream keeps begin with this word. */
export const jetStreamSubject = "bench";

/**
 * Starts `nats-server` with a stream that writes each message to the disk before its reply. Returns null if it is not
 * installed, or is older than 2.10, which cannot do this.
 */
export async function startJetStream(folder: string): Promise<NatsServer | null> {
  const files = await mkdtemp(join(folder, "jetstream-"));
  const settings = join(files, "nats.conf");
  await writeFile(settings, `jetstream { store_dir: ${JSON.stringify(files)}, sync_interval: always }\n`);
  const server = await startNatsServer(["--config", settings]);
  if (server) await createStream(server.url);
  return server;
}

async function createStream(url: string): Promise<void> {
  const stream = { name: jetStreamSubject, subjects: [`${jetStreamSubject}.>`], storage: "file" };
  let onReply: (reply: string) => void = () => undefined;
  const replied = new Promise<string>((resolve) => {
    onReply = resolve;
  });
  const client = await openLeanNats(url, (_id, reply) => onReply(reply));
  client.request(`$JS.API.STREAM.CREATE.${stream.name}`, 0, JSON.stringify(stream));
  const reply = await replied;
  client.close();
  if (reply.includes('"error"')) throw new Error(`NATS answered ${reply}`);
}
