import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { hasProc, toPipeName } from "../core/platform.js";
import type { HookEvent } from "./client.js";

/**
 * Connects a client's hooks and plugins to the MCP server that the same client started. The socket is named
 * after the client's process id. Clients load this file themselves, so it may import only Node's own modules.
 */

/**
 * A request to the server: a hook's event, a subscription to lines that begin turns or, from a launch that drives
 * its client, what the client does (LAUNCH-20).
 */
export type SocketRequest =
  | { readonly hook: SocketHook }
  | { readonly attach: true }
  | { readonly turn: TurnReport }
  | { readonly permission: PermissionReport | null };

/**
 * The state of a driven client's turn. After `interrupted` the model has what its prompts contained; after `failed`
 * it may not.
 */
export interface TurnReport {
  readonly state: "running" | "ended" | "interrupted" | "failed";
  readonly prompt_id: string;
}

/** A permission that the client waits for. */
export interface PermissionReport {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface SocketHook {
  /** `StopFailure` reports a turn that was stopped, to which nothing is added. */
  readonly event: HookEvent | "StopFailure";
  readonly session_id: string;
  readonly prompt_id: string;
  /** The subagent's id; empty for the main agent. */
  readonly agent_id: string;
}

/** The server's reply: text to add for the model, or a line that begins a turn. */
export type SocketReply = { readonly text: string } | { readonly wake: string };

/**
 * Returns the socket of the MCP server that was started by the client with this process id. Null if there is
 * no folder that is private to this user.
 */
export function findSocketPath(pid: number): string | null {
  const pipe = toPipeName(`merkle-client-${pid}`);
  if (pipe !== null) return pipe;
  const { uid } = userInfo();
  const folder = join(tmpdir(), `merkle-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  // Another user may have created the folder to intercept the requests.
  const isOwn = stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0;
  return isOwn ? join(folder, `${pid}.sock`) : null;
}

/** Timeout. A running server answers within a few milliseconds, and a hook must not block its client. */
const withinMs = 3_000;

/** Sends a hook's event to the server and returns the text for the model. Empty if no server is running. */
export async function askServer(hook: SocketHook): Promise<string> {
  return (await sendToServer({ hook })) ?? "";
}

interface ServerAddress {
  /** The server's socket. By default it is found by the process ids of this process's ancestors. */
  readonly path?: string;
  readonly timeoutMs?: number;
}

/** Sends a request to the server and returns the text of its reply. Undefined if there was no reply. */
export async function sendToServer(
  request: Exclude<SocketRequest, { readonly attach: true }>,
  { path, timeoutMs = withinMs }: ServerAddress = {},
): Promise<string | undefined> {
  const socket = await findServer(path);
  if (!socket) return undefined;
  return new Promise((resolve) => {
    socket.setTimeout(timeoutMs, () => socket.destroy());
    socket.on("close", () => resolve(undefined));
    onLines(socket, (reply) => {
      if ("text" in reply) resolve(reply.text);
      socket.end();
    });
    socket.write(toLine(request));
  });
}

/** How long to wait before looking for the server again. */
const reconnectPauseMs = 1_000;

interface AttachOptions extends Pick<ServerAddress, "path"> {
  /** Called whenever the server accepts the connection. */
  readonly onAttached?: () => void;
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
}

/** Stays connected to the server. Calls `wake` with each line that must begin a turn. */
export function attach(wake: (line: string) => unknown, options: AttachOptions = {}): void {
  const { path, onAttached, pauseMs = reconnectPauseMs, signal } = options;
  if (signal?.aborted) return;
  const reconnectLater = () => void setTimeout(() => attach(wake, options), pauseMs).unref();
  findServer(path).then((socket) => {
    if (!socket) return reconnectLater();
    signal?.addEventListener("abort", () => socket.destroy(), { once: true });
    onAttached?.();
    // The connection must not keep the client's process alive.
    socket.unref();
    socket.on("close", reconnectLater);
    onLines(socket, (reply) => {
      if ("wake" in reply) void wake(reply.wake);
    });
    socket.write(toLine({ attach: true }));
  }, reconnectLater);
}

export function toLine(value: SocketRequest | SocketReply): string {
  return `${JSON.stringify(value)}\n`;
}

/** How many ancestor processes to try: shells or starter processes may be between the client and its hook. */
const generationsMax = 4;

async function findServer(knownPath?: string): Promise<Socket | undefined> {
  if (knownPath !== undefined) return connectTo(knownPath);
  let pid: number | undefined = process.pid;
  for (let generation = 0; generation < generationsMax && pid !== undefined && pid > 1; generation += 1) {
    const path = findSocketPath(pid);
    const socket = path === null ? undefined : await connectTo(path);
    if (socket) return socket;
    pid = findParent(pid);
  }
  return undefined;
}

function connectTo(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.on("error", () => resolve(undefined));
  });
}

function findParent(pid: number): number | undefined {
  if (pid === process.pid) return process.ppid;
  try {
    if (!hasProc()) return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)]));
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The process name is in parentheses and can contain any character.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // The process has already exited, or `ps` is missing.
    return undefined;
  }
}

function onLines(socket: Socket, onReply: (reply: SocketReply) => void): void {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) onReply(JSON.parse(line));
  });
}
