import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { entryFile } from "../../core/this-program.js";
import { readEnvironment } from "../../settings/config.js";

/** The process of the demo's own broker. */
export interface OwnBroker {
  /** The first line of `merkle up --json`; rejects when the broker ends before it. */
  readonly firstLine: Promise<unknown>;
  /** Resolves when it has ended well; rejects with its error otherwise. */
  readonly done: Promise<void>;
  /** Ends it, and resolves when it has ended. */
  stop(): Promise<void>;
}

/** The time that the broker has to stop its database before it is killed. */
const stopsWithinMs = 30_000;
const errorCharsMax = 8_192;

/**
 * Starts a broker in a process of its own. It lives as long as the pipe to its stdin, so that it never outlives the demo,
 * and in a group of its own, so that Ctrl+C reaches the demo alone, which ends it.
 */
export function startOwnBroker(): OwnBroker {
  const argv = [...process.execArgv, entryFile(), "demo", "--own-broker", "--json"];
  // A token in the environment belongs to another broker.
  const env = { ...readEnvironment().variables, MERKLE_TOKEN: "" };
  const child = spawn(process.execPath, argv, { detached: true, windowsHide: true, stdio: "pipe", env });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-errorCharsMax);
  });
  // A process that is gone has closed the pipe; `done` reports that it has ended.
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
  // Whoever does not wait for one of these is told by the other.
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

/** The exit code, or the signal that ended it. */
async function endOf(child: ChildProcess): Promise<unknown> {
  const [code, signal] = await once(child, "close");
  return code ?? signal;
}

/** The last line of a command with `--json` is its error. */
function toError(end: unknown, stderr: string): CliError {
  try {
    const { error } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
    const next = error.next === undefined ? [] : [String(error.next)];
    return new CliError(String(error.code), `The demo's broker: ${error.message}`, {
      exitCode: exitCodes.unexpected,
      next,
    });
  } catch {
    // It ended without a word of ours, as a killed process does.
    return new CliError("unexpected", `The demo's broker ended unexpectedly (${end}).`, {
      exitCode: exitCodes.unexpected,
    });
  }
}
