import { once } from "node:events";
import { WebSocket } from "ws";

/** Timeout. A running app server answers within a few milliseconds. */
const withinMs = 3_000;

/**
 * Begins a Codex turn with this line, through the app server that Codex's terminal is connected to.
 *
 * @param socket - the app server's socket
 * @param preferredThread - the id of the thread, if known; before its first turn the thread is the only one loaded
 * @throws Error if no turn was begun
 */
export function startTurn(socket: string, preferredThread: string | undefined, line: string): Promise<void> {
  return withAppServer(socket, async (call) => {
    const threadId = await findThread(call, preferredThread);
    await call("turn/start", { threadId, input: [{ type: "text", text: line }] });
  });
}

/** Returns whether a turn runs in the thread that `startTurn` would begin one in. */
export async function isTurnRunning(socket: string, preferredThread: string | undefined): Promise<boolean> {
  let isRunning = false;
  await withAppServer(socket, async (call) => {
    const threadId = await findThread(call, preferredThread);
    const { thread } = Object(await call("thread/read", { threadId, includeTurns: false }));
    isRunning = Object(Object(thread).status).type === "active";
  });
  return isRunning;
}

/** Makes the app server restart MCP servers that have exited. */
export function reloadServers(socket: string): Promise<void> {
  return withAppServer(socket, async (call) => void (await call("config/mcpServer/reload")));
}

async function withAppServer(socket: string, work: (call: Call) => Promise<void>): Promise<void> {
  const connection = new WebSocket(`ws+unix://${socket}:/`, { perMessageDeflate: false });
  const signal = AbortSignal.timeout(withinMs);
  try {
    await once(connection, "open", { signal });
    const call = createCaller(connection, signal);
    await call("initialize", { clientInfo: { name: "merkle", title: "Merkle", version: "1" } });
    connection.send(JSON.stringify({ method: "initialized" }));
    await work(call);
  } finally {
    connection.on("error", () => undefined);
    connection.terminate();
  }
}

type Call = (method: string, params?: object) => Promise<unknown>;

async function findThread(call: Call, preferredThread: string | undefined): Promise<string> {
  const { data } = Object(await call("thread/loaded/list", {}));
  const loaded: readonly unknown[] = Array.isArray(data) ? data : [];
  if (preferredThread !== undefined && loaded.includes(preferredThread)) return preferredThread;
  const last = loaded.at(-1);
  if (typeof last === "string") return last;
  throw new Error("Codex has no open thread to wake.");
}

/** Returns a function that calls the app server. Its calls fail once the signal is aborted. */
export function createCaller(connection: WebSocket, signal: AbortSignal): Call {
  const pending = new Map<unknown, (reply: { result?: unknown; error?: unknown }) => void>();
  let last = 0;
  connection.on("message", (data) => {
    const reply = Object(JSON.parse(String(data)));
    // Skips notifications and the server's own requests. Unlike replies, they have a method.
    if (reply.method === undefined) pending.get(reply.id)?.(reply);
  });
  return (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      const id = last;
      const abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      pending.set(id, ({ result, error }) => {
        pending.delete(id);
        signal.removeEventListener("abort", abort);
        if (error === undefined) resolve(result);
        else reject(new Error(`Codex refused ${method}: ${JSON.stringify(error)}`));
      });
      connection.send(JSON.stringify({ id, method, params }));
    });
}
