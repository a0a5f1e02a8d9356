import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { MerkleError } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { ReachableAddress } from "../../broker/reach.js";
import type { CommandContext } from "../../command/command.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { getEntryFile } from "../../core/this-program.js";
import { waitForAbort } from "../../core/wait-for-abort.js";
import { readEnvironment } from "../../settings/config.js";

/** The broker that hosts the demo room. */
export interface StageBroker {
  readonly url: string;
  readonly address: ReachableAddress;
  /** The process of the broker, if the demo started it. */
  readonly own: OwnBroker | undefined;
}

/**
 * Finds the configured broker. Starts a temporary broker for the demo if no address is configured and none is
 * running, or if the broker admits only members.
 *
 * @throws CliError `unreachable` if an address is configured but does not respond
 */
export async function findStageBroker({ config, output, signal }: CommandContext): Promise<StageBroker> {
  const broker = await findBroker(config, signal);
  try {
    const { auth } = await broker.call("get_app_info", {});
    if (auth === "open") return { url: broker.base, address: broker.address, own: undefined };
  } catch (error) {
    const isAbsent = error instanceof CliError && error.code === "unreachable";
    if (isAbsent && config.broker.source === "default") {
      output.note(`No broker runs at ${broker.base}: starting one for the demo …`);
      return startOwn(signal);
    }
    if (!(error instanceof MerkleError && error.code === "unauthorized")) throw error;
  }
  // The demo's agents are not members, because the mesh's owner did not invite them.
  output.note(`The broker at ${broker.base} admits only members: starting another for the demo …`);
  return startOwn(signal);
}

async function startOwn(signal: AbortSignal): Promise<StageBroker> {
  const own = startOwnBroker();
  const stop = () => void own.stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const url = readUrl(await own.firstLine);
    return { url, address: { base: url, source: "default" }, own };
  } catch (error) {
    await own.stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Returns the URL in the first line that `merkle up --json` prints. */
function readUrl(started: unknown): string {
  if (typeof started === "object" && started !== null && "url" in started) return String(started.url);
  throw new Error(`Expected the broker's address, got ${JSON.stringify(started)}.`);
}

/** Keeps the broker running until Ctrl+C, so that users can look around. */
export async function keepUntilStopped(
  { url, own }: StageBroker,
  { output, signal }: CommandContext,
): Promise<void> {
  output.note(`The demo's broker keeps running at ${url}; Ctrl+C stops and removes it.`);
  await Promise.race([own?.done, waitForAbort(signal)]);
}

/** The process of the demo's own broker. */
interface OwnBroker {
  /** The first line that `merkle up --json` prints. Rejects if the broker exits before printing it. */
  readonly firstLine: Promise<unknown>;
  /** Resolves when the broker has exited successfully. Rejects if the broker fails. */
  readonly done: Promise<void>;
  /** Stops the broker, and resolves when it has exited. */
  stop(): Promise<void>;
}

/** How long the broker may take to stop its database. After that, the broker is killed. */
const stopsWithinMs = 30_000;
const errorCharsMax = 8_192;

/**
 * Starts a broker in a separate process. The broker stops when the pipe to its stdin closes, so it never
 * outlives the demo. A separate process group protects it from Ctrl+C: only the demo gets the signal, and
 * then stops the broker.
 */
function startOwnBroker(): OwnBroker {
  const argv = [...process.execArgv, getEntryFile(), "demo", "--own-broker", "--json"];
  // Any token in the environment is for another broker.
  const env = { ...readEnvironment().variables, MERKLE_TOKEN: "" };
  const child = spawn(process.execPath, argv, { detached: true, windowsHide: true, stdio: "pipe", env });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-errorCharsMax);
  });
  // The pipe closes when the process exits, which `done` reports.
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout });
  const ended = waitForExit(child);
  const done = ended.then((end) => {
    if (end !== exitCodes.done) throw toError(end, errors);
  });
  const firstLine = Promise.race([
    once(lines, "line").then(([line]): unknown => JSON.parse(String(line))),
    done.then(() => Promise.reject(toError(exitCodes.done, errors))),
  ]);
  // `firstLine` and `done` both reject on failure. Handling one of them must not leave the other unhandled.
  done.catch(() => undefined);
  firstLine.catch(() => undefined);

  return {
    firstLine,
    done,
    async stop() {
      child.stdin.end();
      const killer = setTimeout(() => child.kill("SIGKILL"), stopsWithinMs);
      await ended.catch(() => undefined);
      clearTimeout(killer);
    },
  };
}

/** Returns the exit code, or the signal that ended the process. */
async function waitForExit(child: ChildProcess): Promise<unknown> {
  const [code, signal] = await once(child, "close");
  return code ?? signal;
}

/**
 * Converts how the process ended to an error. With `--json`, the last line of stderr is the command's error.
 */
function toError(end: unknown, stderr: string): CliError {
  try {
    const { error } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
    const next = error.next === undefined ? [] : [String(error.next)];
    return new CliError(String(error.code), `The demo's broker: ${error.message}`, {
      exitCode: exitCodes.unexpected,
      next,
    });
  } catch {
    // The process exited without printing an error, for example because it was killed.
    return new CliError("unexpected", `The demo's broker ended unexpectedly (${end}).`, {
      exitCode: exitCodes.unexpected,
    });
  }
}
