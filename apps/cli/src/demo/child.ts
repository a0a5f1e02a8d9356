import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { readEnvironment } from "../config.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { entryFile } from "../core/this-program.js";
import { cast, type Role } from "./story.js";

/** A process of the demo's own: this same merkle, with a part to play. */
export interface Child {
  /** Its first line, a JSON document; rejects when it ends without a word. */
  readonly firstLine: Promise<unknown>;
  /** Resolves when it has ended well; rejects with what it said when it has not. */
  readonly done: Promise<void>;
  /** Tells it to end, and resolves when it has. */
  stop(): Promise<void>;
}

/** The time that a process may take to end before it is killed; a broker has its database to stop. */
const stopsWithinMs = 30_000;
const errorCharsMax = 8_192;

/**
 * Starts a process that plays a part of the demo. It lives as long as the pipe to its stdin, so that none outlives the
 * demo, however that ends; and in a group of its own, so that Ctrl+C reaches the demo alone, which ends them in order.
 */
export function startChild(part: Role | "broker", args: readonly string[] = []): Child {
  const argv = [...process.execArgv, entryFile(), "demo", "--role", part, ...args, "--json"];
  // The demo's brokers let everybody in; a token is another broker's.
  const env = { ...readEnvironment().variables, MERKLE_TOKEN: "" };
  const child = spawn(process.execPath, argv, { detached: true, windowsHide: true, stdio: "pipe", env });
  const name = part === "broker" ? "The demo's broker" : cast[part];
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-errorCharsMax);
  });
  // A process that is gone has closed the pipe; that it ended is told by `done`.
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout });
  const ended = endOf(child);
  const done = ended.then((end) => {
    if (end !== exitCodes.done) throw toError(name, end, errors);
  });
  const firstLine = Promise.race([
    once(lines, "line").then(([line]): unknown => JSON.parse(String(line))),
    done.then(() => Promise.reject(toError(name, exitCodes.done, errors))),
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
function toError(name: string, end: unknown, stderr: string): CliError {
  try {
    const { error } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
    const next = error.next === undefined ? [] : [String(error.next)];
    return new CliError(String(error.code), `${name}: ${error.message}`, {
      exitCode: exitCodes.unexpected,
      next,
    });
  } catch {
    // It ended without a word of ours, as a killed process does.
    return new CliError("unexpected", `${name} ended unexpectedly (${end}).`, {
      exitCode: exitCodes.unexpected,
    });
  }
}
