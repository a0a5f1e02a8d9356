import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import type { ClientInbox } from "../../clients/client.js";
import {
  findSocketPath,
  type PermissionReport,
  type SocketReply,
  type TurnReport,
  toLine,
} from "../../clients/client-socket.js";
import type { JsonFields } from "../../core/is-object.js";
import { isPosix } from "../../core/platform.js";
import type { HookAnswer } from "./hook-server.js";

/** The socket through which the client's hook commands and plugins reach this server (VENDOR-4). */
interface HookSocket {
  /** The inbox of the connected plugins, which begin a turn when they receive a line. */
  readonly attached: ClientInbox;
  /** Starts listening. If that fails, messages are delivered only in the results of tool calls. */
  listen(): void;
  close(): void;
}

interface HookSocketOptions {
  /** Answers a hook. @throws MerkleError `bad_request` if the event is unknown */
  readonly answer: (fields: JsonFields) => Promise<HookAnswer>;
  /** Called when a launch that drives the client reports a change of its turn, or a permission prompt. */
  readonly onTurn: (turn: TurnReport) => void;
  readonly onPermission: (permission: PermissionReport | null) => void;
  readonly onPluginsChange: () => void;
  readonly log: (text: string) => void;
}

/** Maximum length of a request, which is longer than any hook needs. */
const requestCharsMax = 100_000;

/** @param knownPath - the socket to listen on; by default it is named after the client's process id */
export function openHookSocket(
  { answer, onTurn, onPermission, onPluginsChange, log }: HookSocketOptions,
  knownPath?: string,
): HookSocket {
  const attached = new Set<Socket>();
  const connected = new Set<Socket>();
  const server = createServer(serve).unref();
  let path: string | null = null;
  let isTurnRunning = false;

  function serve(socket: Socket): void {
    connected.add(socket);
    socket.unref();
    let text = "";
    socket.setEncoding("utf8");
    socket.on("error", () => undefined);
    socket.on("close", () => {
      connected.delete(socket);
      if (!attached.delete(socket)) return;
      isTurnRunning = false;
      onPluginsChange();
    });
    socket.on("data", (chunk: string) => {
      text += chunk;
      const end = text.indexOf("\n");
      if (end < 0) return void (text.length > requestCharsMax && socket.destroy());
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      void handleLine(socket, line);
    });
  }

  async function handleLine(socket: Socket, line: string): Promise<void> {
    try {
      const request = Object(JSON.parse(line));
      if (request.attach === true) {
        attached.add(socket);
        onPluginsChange();
        return;
      }
      if (request.turn !== undefined) {
        isTurnRunning = request.turn.state === "running";
        onTurn(request.turn);
        return await write(socket, { text: "" });
      }
      if (request.permission !== undefined) {
        onPermission(request.permission);
        return await write(socket, { text: "" });
      }
      const { text, settle } = await answer(Object(request.hook));
      write(socket, { text }).then(
        () => settle(true),
        () => settle(false),
      );
    } catch (error) {
      log(`a hook could not be answered: ${String(error)}`);
      socket.destroy();
    }
  }

  function start(at: string): void {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") return retry(at);
      log(`hooks cannot reach this server: ${error.message}`);
    });
    server.listen(at, () => {
      path = at;
      if (isPosix()) chmodSync(at, 0o600);
    });
  }

  /**
   * Takes over the socket if a killed server left it behind. If another server of the same client is running,
   * that server keeps the socket.
   */
  function retry(at: string): void {
    const other = connect(at);
    other.once("connect", () => {
      other.destroy();
      log("another server of this client answers its hooks");
    });
    other.once("error", () => {
      rmSync(at, { force: true });
      start(at);
    });
  }

  return {
    attached: {
      get isConnected() {
        return attached.size > 0;
      },
      async post({ line }) {
        const [socket] = [...attached].slice(-1);
        if (!socket) throw new Error("the client's plugin is not connected");
        await write(socket, { wake: line });
      },
      isBusy: async () => isTurnRunning,
    },
    listen() {
      const at = knownPath ?? findSocketPath(process.ppid);
      if (at === null)
        log("hooks cannot reach this server: other users can access the folder for its socket");
      else start(at);
    },
    close() {
      server.close();
      for (const socket of connected) socket.destroy();
      if (path !== null) rmSync(path, { force: true });
    },
  };
}

function write(socket: Socket, reply: SocketReply): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(toLine(reply), (error) => (error ? reject(error) : resolve()));
  });
}
