import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { isObject, type JsonFields } from "../core/is-object.js";
import type { PermissionRelay } from "./client.js";
import { createCaller } from "./codex-app-server.js";

const reconnectPauseMs = 1_000;
const openWithinMs = 3_000;
const joinAttempts = 20;
const joinPauseMs = 100;

/**
 * Relays the permissions for which Codex asks at its terminal to the agent's person, as a second client of the
 * app server that the terminal is connected to. The app server sends a request for a permission to each client of the
 * thread, and takes the first answer (APPROVE-20).
 */
export async function relayCodexPermissions(relay: PermissionRelay): Promise<void> {
  const { ended } = relay;
  while (!ended.aborted) {
    await relayOnce(relay).catch(() => undefined);
    await delay(reconnectPauseMs, undefined, { signal: ended }).catch(() => undefined);
  }
}

/** Relays until the connection is lost or the launch ends. */
async function relayOnce({ socket, ask, ended }: PermissionRelay): Promise<void> {
  const connection = new WebSocket(`ws+unix://${socket}:/`, { perMessageDeflate: false });
  const closed = new AbortController();
  const over = AbortSignal.any([ended, closed.signal]);
  connection.on("close", () => closed.abort());
  connection.on("error", () => closed.abort());
  try {
    await once(connection, "open", { signal: AbortSignal.any([over, AbortSignal.timeout(openWithinMs)]) });
    const call = createCaller(connection, over);
    const threads = new Set<unknown>();
    const edits = new Map<unknown, unknown>();
    const open = new Map<unknown, AbortController>();

    /** Joins a thread, whose requests are then also sent to this client, including one that waits. */
    async function join(threadId: unknown): Promise<void> {
      if (threads.has(threadId)) return;
      threads.add(threadId);
      const resume = () => call("thread/resume", { threadId, excludeTurns: true });
      // A new thread is refused until Codex has written the beginning of its first turn.
      for (let left = joinAttempts; left > 0 && !over.aborted; left -= 1) {
        if (await resume().then(Boolean, () => false)) return;
        await delay(joinPauseMs);
      }
      threads.delete(threadId);
    }

    async function answer(id: unknown, method: string, params: JsonFields): Promise<void> {
      const request = toRequest(method, params, edits);
      // A request that waits while this client joins its thread may come twice.
      if (!request || open.has(id)) return;
      const resolved = new AbortController();
      open.set(id, resolved);
      const answered = await ask(request, AbortSignal.any([over, resolved.signal]));
      // The terminal's answer, which the app server reports, has removed the request.
      if (!answered || !open.delete(id)) return;
      const { isAllowed, words } = answered;
      connection.send(JSON.stringify({ id, result: { decision: isAllowed ? "accept" : "decline" } }));
      const { threadId } = params;
      const text = `Your user denied ${request.tool}: ${words}`;
      if (!isAllowed && words !== null)
        await call("turn/start", { threadId, input: [{ type: "text", text }] });
    }

    connection.on("message", (data) => {
      const { id, method, params } = Object(JSON.parse(String(data)));
      if (!isObject(params)) return;
      const { threadId, status, item } = params;
      if (method === "thread/status/changed" && Object(status).type === "active") void join(threadId);
      if (method === "item/started" && Object(item).type === "fileChange")
        edits.set(Object(item).id, Object(item).changes);
      if (method === "item/completed") edits.delete(Object(item).id);
      if (method === "serverRequest/resolved") {
        open.get(params["requestId"])?.abort();
        open.delete(params["requestId"]);
      }
      if (id !== undefined && typeof method === "string") answer(id, method, params).catch(() => undefined);
    });
    const clientInfo = { name: "merkle", title: "Merkle", version: "1" };
    // `excludeTurns` is an experimental field.
    await call("initialize", { clientInfo, capabilities: { experimentalApi: true } });
    connection.send(JSON.stringify({ method: "initialized" }));
    if (!over.aborted) await once(over, "abort");
  } finally {
    connection.terminate();
  }
}

/** Fields that tell Codex's clients what belongs together and which answers last. */
const ownFields: ReadonlySet<string> = new Set([
  ...[
    "threadId",
    "turnId",
    "itemId",
    "approvalId",
    "startedAtMs",
    "command",
    "cwd",
    "reason",
    "commandActions",
  ],
  ...["availableDecisions", "proposedExecpolicyAmendment", "proposedNetworkPolicyAmendments"],
]);
/** The values of fields for a plain command on this machine. */
const plainFields: Readonly<Record<string, unknown>> = { kind: "command", environmentId: "local" };

/**
 * Returns what the person sees of a request. Undefined if it is not for one command or edit, or cannot be shown whole:
 * the terminal then decides alone.
 */
function toRequest(
  method: string,
  params: JsonFields,
  edits: ReadonlyMap<unknown, unknown>,
): Parameters<PermissionRelay["ask"]>[0] | undefined {
  const { command, cwd, reason, itemId, grantRoot } = params;
  if (
    method === "item/commandExecution/requestApproval" &&
    typeof command === "string" &&
    typeof cwd === "string"
  ) {
    const others = Object.entries(params).filter(
      ([name, value]) => !ownFields.has(name) && value !== null && value !== plainFields[name],
    );
    const why = typeof reason === "string" && { description: reason };
    const input = { command: unwrapShell(command), ...why, ...Object.fromEntries(others) };
    return { tool: "exec_command", input, folder: cwd, runsCommand: true };
  }
  const changes = edits.get(itemId);
  // Access to a whole folder would outlast the edit.
  if (method !== "item/fileChange/requestApproval" || changes === undefined || grantRoot) return undefined;
  return { tool: "apply_patch", input: { changes }, folder: undefined, runsCommand: false };
}

/** Returns the command that Codex gives to a login shell, where its quotes change nothing in it. */
function unwrapShell(command: string): string {
  const [, quoted, word] = /^(?:\/\w+)*\/(?:ba|z)sh -lc (?:'([^']*)'|([\w./:=,+%-]+))$/.exec(command) ?? [];
  return quoted ?? word ?? command;
}
