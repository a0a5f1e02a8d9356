import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { entryFile } from "../../core/this-program.js";
import { readEnvironment } from "../../settings/config.js";

/** The process of the demo's own broker. */
export interface OwnBroker {
  /** The first line that `merkle up --json` prints. Rejects if the broker exits before printing it. */
  readonly firstLine: Promise<unknown>;
  /** Resolves when the broker has exited successfully. Rejects if the broker fails. */
  readonly done: Promise<void>;
  /** Stops the broker, and resolves when it has exited. */
  stop(): Promise<void>;
}

/** How long the broker may take to stop its database. After that it is killed. */
const stopsWithinMs = 30_000;
const errorCharsMax = 8_192;

/**
 * Starts a broker in a separate process. The broker stops when the pipe to its stdin closes, so it never
 * outlives the demo. A separate process group protects it from Ctrl+C: only the demo gets the signal, and
 * then stops the broker.
 */
export function startOwnBroker(): OwnBroker {
  const argv = [...process.execArgv, entryFile(), "demo", "--own-broker", "--json"];
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
  const ended = endOf(child);
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
async function endOf(child: ChildProcess): Promise<unknown> {
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
