import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createBrokerClient } from "../broker/broker-client.js";
import { readHealth } from "../broker/broker-facts.js";
import type { Reach } from "../broker/reach.js";
import { findRunningBroker, type RunningBroker } from "../broker/run-file.js";
import type { CommandContext } from "../command/command.js";
import { CliError, type ExitCode, exitCodes } from "../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { findAddressSources, showStarted } from "./show-started.js";

const pollIntervalMs = 50;

/** The message that a background broker sends to the process that started it. */
export interface DetachedBroker {
  readonly first_invite: string | null;
  readonly verifying_link: string | null;
  readonly backup: string | null;
  readonly localhost_taken_by: string | null;
  readonly key_pin: string | null;
  readonly facts: Readonly<Record<string, string>>;
}

/** The message sent by a background process whose broker failed to start. */
export interface FailedStart {
  readonly failure: {
    readonly code: string;
    readonly message: string;
    readonly exitCode: ExitCode;
    readonly next: readonly string[];
  };
}

/**
 * Starts the broker in a separate process. Returns once the broker accepts calls, or throws the broker's
 * error. Afterwards the terminal can be closed.
 */
export async function detachBroker({ config, output, signal }: CommandContext): Promise<number> {
  const { home } = config;
  const child = await explainHomeErrors(home, () => spawnBroker(home));
  const pendingMessage = awaitMessage(child);
  // Ends the wait for the broker if the child process exits first.
  const first = new AbortController();
  const eitherSignal = AbortSignal.any([signal, first.signal]);
  try {
    const ended = waitForExit(child).then(async (exitCode) => {
      const message = await Promise.race([pendingMessage, null]);
      throw message && "failure" in message ? toError(message) : await readFailure(home, exitCode);
    });
    const started = await Promise.race([
      ended,
      waitUntilAcceptingCalls(config, child.pid ?? 0, eitherSignal),
    ]);
    const message = await pendingMessage;
    if ("failure" in message) throw toError(message);
    showStarted(started, output, {
      stop: "merkle down stops it",
      firstInvite: message.first_invite,
      verifyingLink: message.verifying_link,
      backup: message.backup,
      localhostTakenBy: message.localhost_taken_by,
      keyPin: message.key_pin,
      facts: message.facts,
      addressSources: findAddressSources(config, started),
    });
    return exitCodes.done;
  } catch (error) {
    await endChild(child);
    throw error;
  } finally {
    first.abort();
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/** Ends a process whose broker failed to start. Resolves once the process has exited. */
async function endChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/**
 * Enlarges V8's young generation from its default of 16 MB. Thousands of posted messages and blocked waits
 * live too long for the default size, so they would be copied twice. The setting takes effect only when a
 * process starts, so `merkle up` in the foreground runs without it.
 */
export const brokerNodeArgs = ["--max-semi-space-size=64"];

async function spawnBroker(home: string): Promise<ChildProcess> {
  const path = homeFiles.detachedOutput(home);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "w", 0o600);
  const args = process.argv.slice(2).filter((each) => each !== "--detach" && each !== "--json");
  try {
    const nodeArgs = [...brokerNodeArgs, ...process.execArgv];
    return spawn(process.execPath, [...nodeArgs, process.argv[1] ?? "", ...args, "--json"], {
      detached: true,
      stdio: ["ignore", file, file, "ipc"],
      windowsHide: true,
    });
  } finally {
    closeSync(file);
  }
}

function toError({ failure: { code, message, exitCode, next } }: FailedStart): CliError {
  return new CliError(code, message, { exitCode, next });
}

function awaitMessage(child: ChildProcess): Promise<DetachedBroker | FailedStart> {
  // The child is merkle itself and sends no other messages.
  return new Promise((resolve) =>
    child.once("message", (message) => resolve(message as DetachedBroker | FailedStart)),
  );
}

function waitForExit(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? exitCodes.unexpected));
  });
}

/** Resolves once the process has written its run file and accepts calls. */
async function waitUntilAcceptingCalls(
  reach: Reach,
  pid: number,
  signal: AbortSignal,
): Promise<RunningBroker> {
  while (true) {
    const running = await findRunningBroker(reach.home);
    if (running?.pid === pid) {
      await readHealth(createBrokerClient({ base: running.url, source: "default", reach }, signal));
      return running;
    }
    await pause(pollIntervalMs, undefined, { signal });
  }
}

/**
 * Returns the error of a background process that ended. The process runs with `--json`, so the last line of
 * its output is the error.
 */
async function readFailure(home: string, exitCode: number): Promise<CliError> {
  const path = homeFiles.detachedOutput(home);
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  const { code, message, next } = parseError(lines.at(-1) ?? "");
  return new CliError(code, message || `The broker ended with code ${exitCode}. Its output is in ${path}.`, {
    exitCode: toExitCode(exitCode),
    next: next === "" ? [] : next.split(" · "),
  });
}

function parseError(line: string): { code: string; message: string; next: string } {
  try {
    const { error } = JSON.parse(line);
    return { code: String(error.code), message: String(error.message), next: String(error.next ?? "") };
  } catch {
    // The process exited without printing an error, for example because it was killed.
    return { code: "unexpected", message: "", next: "run merkle up to see the error" };
  }
}

function toExitCode(code: number): ExitCode {
  return (
    Object.values(exitCodes).find((known) => known === code && known !== exitCodes.done) ??
    exitCodes.unexpected
  );
}
