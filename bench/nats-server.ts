import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface NatsServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts `nats-server` on a free port on this machine. Returns null if it is not installed. */
export async function startNatsServer(): Promise<NatsServer | null> {
  const path = `${process.env["PATH"]}:/usr/sbin:/usr/local/bin`;
  const server = spawn("nats-server", ["-a", "127.0.0.1", "-p", "-1"], {
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
