import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { hasProc, pipeName } from "../core/platform.js";
import type { HookEvent } from "./client.js";

/**
 * How a client's hooks and plugins reach the server of ours that the same client has started: by a socket that is named
 * after the client's process. This file is loaded by the clients themselves, too, and imports nothing but what Node brings.
 */

/** A request to the server: for the answer to a hook, or for lines that are to begin a turn, as they come. */
export type SocketRequest = { readonly hook: SocketHook } | { readonly attach: true };

export interface SocketHook {
  readonly event: HookEvent;
  readonly session_id: string;
  readonly prompt_id: string;
  /** The subagent's id; empty for the main agent. */
  readonly agent_id: string;
}

/** The server's answer: the text that the model is to be given, or a line for a turn of its own. */
export type SocketReply = { readonly text: string } | { readonly wake: string };

/** Where the server beside the client of this process number listens; null where no place is this user's alone. */
export function socketOf(pid: number): string | null {
  const pipe = pipeName(`merkle-client-${pid}`);
  if (pipe !== null) return pipe;
  const { uid } = userInfo();
  const folder = join(tmpdir(), `merkle-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  // Somebody else may have made it, to be asked in our place.
  const isOwn = found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
  return isOwn ? join(folder, `${pid}.sock`) : null;
}

/** A server that is there answers in a few milliseconds, and a hook must not keep its client waiting. */
const withinMs = 3_000;

/** The text that the model is to be given at this event; empty where no server is there. */
export async function askServer(hook: SocketHook): Promise<string> {
  const socket = await findServer();
  if (!socket) return "";
  return new Promise((resolve) => {
    socket.setTimeout(withinMs, () => socket.destroy());
    socket.on("close", () => resolve(""));
    onLines(socket, (reply) => {
      if ("text" in reply) resolve(reply.text);
      socket.end();
    });
    socket.write(toLine({ hook }));
  });
}

/** How long after it was not found, or ended, the server is looked for again. */
const againMs = 1_000;

/** Stays connected to the server, and has each line that it says begin a turn. */
export function attach(wake: (line: string) => unknown): void {
  const again = () => void setTimeout(() => attach(wake), againMs).unref();
  findServer().then((socket) => {
    if (!socket) return again();
    // The client ends when it is done, whoever is connected.
    socket.unref();
    socket.on("close", again);
    onLines(socket, (reply) => {
      if ("wake" in reply) void wake(reply.wake);
    });
    socket.write(toLine({ attach: true }));
  }, again);
}

export function toLine(value: SocketRequest | SocketReply): string {
  return `${JSON.stringify(value)}\n`;
}

/** Between a client and what it runs there may be a shell, or a process that started it. */
const generationsMax = 4;

async function findServer(): Promise<Socket | undefined> {
  let pid: number | undefined = process.pid;
  for (let generation = 0; generation < generationsMax && pid !== undefined && pid > 1; generation += 1) {
    const path = socketOf(pid);
    const socket = path === null ? undefined : await connectTo(path);
    if (socket) return socket;
    pid = parentOf(pid);
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

function parentOf(pid: number): number | undefined {
  if (pid === process.pid) return process.ppid;
  try {
    if (!hasProc()) return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)]));
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name is in parentheses, and may hold any character itself.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // It has ended, or there is no ps.
    return undefined;
  }
}

function onLines(socket: Socket, take: (reply: SocketReply) => void): void {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line));
  });
}
