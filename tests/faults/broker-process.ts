import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { BrokerOptions } from "@merkle/broker";

/** A broker in a process of its own, which can be killed and come back at the same port. */
export interface BrokerProcess {
  readonly url: string;
  /** Of the process that runs now. */
  readonly pid: number;
  /** By which the first admin comes in; null where everybody is let in, and once somebody has come by it. */
  readonly firstInvite: string | null;
  /** The last lines that it logged, of all its lives. */
  readonly logged: readonly string[];
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it again at its port, and resolves when it takes calls. @throws when it refuses to start */
  start(): Promise<void>;
  /** Starts it again and kills it before it is ready, after this time. */
  startAndKill(afterMs: number): Promise<void>;
  /** SIGTERM; resolves when it has stopped. @throws when it did not end well */
  stop(): Promise<void>;
}

export interface BrokerPlace {
  readonly home: string;
  /** The broker runs its embedded PostgreSQL without. */
  readonly databaseUrl?: string;
  /** The built broker to start next; this tree's unless told. */
  readonly script?: () => string;
  /** Whatever else the broker is started with. */
  readonly options?: Partial<BrokerOptions>;
}

const ownScript = fileURLToPath(new URL("broker-child.mjs", import.meta.url));
const loggedMax = 200;

/** Starts the built broker, on any free port; tells when it ends although nobody ended it. */
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
    const said = Promise.race([
      once(lines, "line").then(([line]) => String(line)),
      once(spawned, "exit").then(([code, signal]) => `{"error":"it ended with ${code ?? signal}"}`),
    ]);
    child = spawned;
    spawned.once("exit", (code, signal) => {
      if (child === spawned) onDeath(`the broker ended by itself with ${code ?? signal}`);
    });
    return { child: spawned, said };
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
