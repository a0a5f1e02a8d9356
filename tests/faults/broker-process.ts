import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { BrokerOptions } from "@merkle/broker";

/** A broker in its own process, which can be killed and restarted on the same port. */
export interface BrokerProcess {
  readonly url: string;
  /** Process id of the current broker process. */
  readonly pid: number;
  /** The invite for the first admin. Null in open mode, or after the invite has been used. */
  readonly firstInvite: string | null;
  /** The last lines that the broker logged, across restarts. */
  readonly logged: readonly string[];
  /** Sends SIGKILL and resolves when the process has exited. */
  kill(): Promise<void>;
  /** Restarts the broker on its port and resolves when it accepts calls. @throws if it refuses to start */
  start(): Promise<void>;
  /** Restarts the broker and kills it after this time, before the broker is ready. */
  startAndKill(afterMs: number): Promise<void>;
  /** Sends SIGTERM and resolves when the broker has stopped. @throws if it exits with an error */
  stop(): Promise<void>;
}

export interface BrokerPlace {
  readonly home: string;
  /** Address of an external database. If undefined, the broker runs its embedded PostgreSQL. */
  readonly databaseUrl?: string;
  /** Returns the path of the broker script to use for the next start. Default: the script in this checkout. */
  readonly script?: () => string;
  readonly options?: Partial<BrokerOptions>;
}

const ownScript = fileURLToPath(new URL("broker-child.mjs", import.meta.url));
const loggedMax = 200;

/** Starts the built broker on any free port. Calls `onDeath` if the process exits unexpectedly. */
export async function startBrokerProcess(
  { options, script = () => ownScript, ...place }: BrokerPlace,
  onDeath: (how: string) => void,
): Promise<BrokerProcess> {
  const logged: string[] = [];
  let child: ChildProcess | null = null;
  let port = 0;
  let url = "";
  let firstInvite: string | null = null;

  function spawnChild(): { child: ChildProcess; said: Promise<string> } {
    const spawned = spawn(process.execPath, [script(), JSON.stringify({ ...options, ...place, port })], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    createInterface({ input: spawned.stderr }).on("line", (line) => {
      logged.push(line);
      if (logged.length > loggedMax) logged.shift();
    });
    const lines = createInterface({ input: spawned.stdout });
    const firstLine = Promise.race([
      once(lines, "line").then(([line]) => String(line)),
      once(spawned, "exit").then(([code, signal]) => `{"error":"it ended with ${code ?? signal}"}`),
    ]);
    child = spawned;
    spawned.once("exit", (code, signal) => {
      if (child === spawned) onDeath(`the broker ended by itself with ${code ?? signal}`);
    });
    return { child: spawned, said: firstLine };
  }

  async function start(): Promise<void> {
    const answer = JSON.parse(await spawnChild().said);
    if (answer.error)
      throw new Error(`The broker did not start: ${answer.error}\n${logged.slice(-20).join("\n")}`);
    ({ port, url, firstInvite } = answer);
  }

  async function end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const ending = child;
    child = null;
    if (!ending) return null;
    if (ending.exitCode === null && ending.signalCode === null) {
      const exited = once(ending, "exit");
      ending.kill(signal);
      await exited;
    }
    return ending.exitCode ?? ending.signalCode;
  }

  await start();
  return {
    get url() {
      return url;
    },
    get pid() {
      return child?.pid ?? 0;
    },
    get firstInvite() {
      return firstInvite;
    },
    logged,
    async kill() {
      await end("SIGKILL");
    },
    start,
    async startAndKill(afterMs) {
      const { said } = spawnChild();
      await Promise.race([said, new Promise((resolve) => setTimeout(resolve, afterMs))]);
      await end("SIGKILL");
    },
    async stop() {
      const how = await end("SIGTERM");
      if (how !== null && how !== 0)
        throw new Error(`The broker ended with ${how}.\n${logged.slice(-20).join("\n")}`);
    },
  };
}
