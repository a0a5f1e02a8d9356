import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { findProgram } from "./find-program.js";
import type { Cleanup } from "./test-database.js";

/** Path of the NATS server on this machine, if installed. Tests that need it have the tag "nats". */
export const natsProgram = findProgram("nats-server");

/** A NATS server for one test. */
export interface NatsServer {
  readonly url: string;
  /** Process id of the current server. */
  readonly pid: number;
  kill(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
}

/** Starts a server on a free port. It is killed when the test has finished. */
export async function startNatsServer(
  { args = [] }: { readonly args?: readonly string[] } = {},
  cleanup: Cleanup = onTestFinished,
): Promise<NatsServer> {
  let port = -1;
  let pid = 0;
  let kill = async () => {};

  async function start(): Promise<void> {
    const server = spawn(natsProgram ?? "nats-server", ["-a", "127.0.0.1", "-p", String(port), ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    pid = server.pid ?? 0;
    const exited = once(server, "exit");
    kill = async () => {
      server.kill("SIGKILL");
      await exited;
    };
    for await (const line of createInterface({ input: server.stderr })) {
      const [, listening] = /client connections on 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
      if (listening !== undefined) port = Number(listening);
      if (line.includes("Server is ready")) break;
    }
    server.stderr.resume();
    if (port < 0) throw new Error("The NATS server did not say at which port it listens.");
  }

  await start();
  cleanup(() => kill());
  return {
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return pid;
    },
    kill: () => kill(),
    start,
  };
}
