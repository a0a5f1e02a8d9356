import { rm } from "node:fs/promises";
import { constants } from "node:os";
import { createInterface, type Interface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { openAcpSession } from "../../clients/acp-session.js";
import type { AcpCall } from "../../clients/client.js";
import { attach } from "../../clients/client-socket.js";
import type { Input, Io } from "../../command/io.js";
import { exitCodes } from "../../core/cli-error.js";
import { isPosix } from "../../core/platform.js";
import { toOneLine } from "../../text/one-line.js";
import { type ProgramCall, takeSignals } from "../run-program.js";
import { type AskPerson, createPermissions } from "./permissions.js";
import { type ProgramGroup, startGroup } from "./process-group.js";
import { createTurns, type Turns } from "./turns.js";
import { createView } from "./view.js";

interface AcpAgentCall extends ProgramCall {
  readonly acp: AcpCall;
  readonly io: Pick<Io, "stdin" | "stdout" | "stderr">;
  /** Called when the agent is asked to end, before its MCP server ends with it. */
  onEnding(): Promise<void>;
  /** Asks the agent's person on other devices. Undefined if the launch names no devices. */
  readonly askPerson: AskPerson | undefined;
}

/** How long the agent may take to start the peer's MCP server, before the user is warned. */
const serverMsMax = 15_000;
const attachPauseMs = 100;
/** Under npm, one Ctrl+C arrives twice. A second one within this time is ignored. */
const sameKeyWithinMs = 500;

/**
 * Runs an ACP agent, and is its terminal: prints what it does, prompts it with typed lines and with messages, and
 * asks for the permissions that it needs. Resolves with its exit code as `runProgram` does, or with 130 if Ctrl+C
 * ended it. Nothing that the agent started is left in its process group (LAUNCH-22).
 */
export async function runAcpAgent(call: AcpAgentCall): Promise<number> {
  const { acp, cwd, io } = call;
  const ended = new AbortController();
  const view = createView(io.stdout);
  const group = startGroup(call.path, call.args, call);
  const typing = createTyping(io.stdin);
  let turns: Turns | undefined;
  let endCode: number | undefined;

  function end(code?: number): void {
    endCode ??= code;
    void call.onEnding();
    void group.end();
  }

  const interrupt = createInterrupt({
    isRunning: () => turns?.isRunning === true,
    cancel() {
      turns?.cancel();
      view.showHint("Cancelled. Press Ctrl+C again to end the agent.");
    },
    end: () => end(exitCodes.interrupted),
  });
  const restoreSignals = takeSignals((signal) => {
    if (signal === "SIGINT") return interrupt();
    void call.onEnding();
    group.signal(signal);
    end();
  });

  /** Opens the session. Then reads what the user types, and takes nudges. */
  async function drive(): Promise<void> {
    let begin: (turns: Turns) => void = () => undefined;
    const begun = new Promise<Turns>((resolve) => {
      begin = resolve;
    });
    const attached = attachTo(
      acp.socket,
      ended.signal,
      (line) => void begun.then((each) => each.addNudge(line)),
    );
    const permissions = createPermissions({
      ...call,
      view,
      typing,
      ended: ended.signal,
      addTyped: (line) => turns?.addTyped(line),
    });
    const session = await openAcpSession(group, {
      ...{ cwd, server: acp.server, canAsk: io.stdin.isTTY === true || call.askPerson !== undefined },
      onEvent(event) {
        view.show(event);
        turns?.noteEvent(event);
      },
      onPermission: permissions.answer,
    });
    view.showHint(
      `${session.agentName}${session.askingMode === undefined ? "" : `, in its mode ${session.askingMode}`}`,
    );
    // Some agents begin a first turn before their MCP servers have started, which then has no tools.
    if (!(await Promise.race([attached, delay(serverMsMax, false, { ref: false })])))
      view.showHint(
        "The agent has not started Merkle's MCP server, so no messages arrive. It may not trust this folder.",
      );
    turns = createTurns({ ...acp, session, view, ended: ended.signal });
    begin(turns);
    if (typing.isPossible)
      view.showHint("Type a line to prompt it. Ctrl+C cancels a turn and, between turns, ends the agent.");
    typing.start((line) => {
      if (permissions.isOpen) permissions.answerTyped(line);
      else if (line.trim() !== "") turns?.addTyped(line);
    }, end);
  }

  try {
    void group.exited
      .catch(() => undefined)
      .then(() => {
        ended.abort();
        void call.onEnding();
      });
    if (group.pid !== undefined) await call.onStart(group.pid);
    await Promise.race([drive().catch((error: unknown) => throwUnlessExited(error, group)), group.exited]);
    const { code, signal } = await group.exited;
    const exitCode = endCode ?? code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    if (endCode === undefined && exitCode !== 0)
      for (const line of group.errorLines) io.stderr.write(`${toOneLine(line)}\n`);
    return exitCode;
  } finally {
    ended.abort();
    typing.stop();
    await group.end();
    restoreSignals();
    if (isPosix()) await rm(acp.socket, { force: true });
  }
}

/** How long an agent that closed its pipes may take to exit. */
const exitMsMax = 1_000;

/** An agent that exits is reported by its exit code, not by the request that its end interrupted. */
async function throwUnlessExited(error: unknown, { exited }: ProgramGroup): Promise<void> {
  const hasExited = await Promise.race([exited.then(() => true), delay(exitMsMax, false, { ref: false })]);
  if (!hasExited) throw error;
}

/**
 * Connects to the peer's MCP server, which the agent starts. Resolves once that has succeeded. Keeps trying until
 * the agent ends.
 */
function attachTo(path: string, signal: AbortSignal, onNudge: (line: string) => void): Promise<true> {
  return new Promise((resolve) => {
    attach(onNudge, { path, signal, pauseMs: attachPauseMs, onAttached: () => resolve(true) });
  });
}

/** What the user types. */
export interface Typing {
  /** Whether someone may still type. */
  readonly isPossible: boolean;
  /** Resolves when nothing can be typed any more. */
  readonly ended: Promise<void>;
  /** Begins to read lines. At a terminal, the end of the input also ends the agent. */
  start(onLine: (line: string) => void, onEnd: () => void): void;
  stop(): void;
}

function createTyping(stdin: Input): Typing {
  let isPossible = !stdin.readableEnded;
  let lines: Interface | undefined;
  let resolveEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });
  return {
    get isPossible() {
      return isPossible;
    },
    ended,
    start(onLine, onEnd) {
      lines = createInterface({ input: stdin, terminal: false });
      lines.on("line", onLine);
      // A terminal that has gone fails to be read, and sends SIGHUP.
      lines.on("error", () => lines?.close());
      lines.on("close", () => {
        isPossible = false;
        resolveEnded();
        if (stdin.isTTY) onEnd();
      });
    },
    stop() {
      lines?.removeAllListeners("close").close();
    },
  };
}

interface InterruptOptions {
  readonly isRunning: () => boolean;
  readonly cancel: () => void;
  readonly end: () => void;
}

/** Returns what Ctrl+C does: it cancels the running turn, or ends the agent if there is none or it was cancelled. */
function createInterrupt({ isRunning, cancel, end }: InterruptOptions): () => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let isCancelling = false;
  return () => {
    const isSameKey = performance.now() - lastAt < sameKeyWithinMs;
    if (isSameKey) return;
    lastAt = performance.now();
    isCancelling = isRunning() && !isCancelling;
    if (isCancelling) cancel();
    else end();
  };
}
