import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createFrontendReader, type FrontendReader } from "./postgres-protocol.js";

/** When to cut a connection. */
export type ConnectionCut =
  /** After the server has replied to a committing statement. The client does not get the reply. */
  | { readonly at: "after_commit"; readonly of: "append" | "transaction" }
  /** Right after a committing statement was sent to the server, without waiting for the reply. */
  | { readonly at: "after_send"; readonly of: "append" | "transaction" }
  /** After this many bytes in both directions on all connections, possibly in the middle of a message. */
  | {
      readonly at: "byte";
      readonly bytes: number;
      /** True to reset the connection, so that the client gets an error. Otherwise the connection ends normally. */
      readonly reset?: boolean;
    };

/** A TCP proxy for a PostgreSQL server. It parses the protocol, so it can cut connections around a commit. */
export interface PostgresProxy {
  readonly port: number;
  /** Schedules one cut. Resolves when the cut has been made. Only one cut may be pending. */
  cut(cut: ConnectionCut): Promise<void>;
  /** How connections are handled: forwarded, closed immediately, or kept open without a reply. */
  mode: "pass" | "close" | "stall";
  cutAll(): void;
  stop(): Promise<void>;
}

interface Line {
  readonly client: Socket;
  readonly server: Socket;
  /** True once the committing statement has been sent. From then on, nothing is forwarded to the client. */
  withholding: boolean;
}

export async function startPostgresProxy(target: { host: string; port: number }): Promise<PostgresProxy> {
  const lines = new Set<Line>();
  let armed: { cut: ConnectionCut; made: () => void; bytesLeft: number } | null = null;
  const proxy = { mode: "pass" as PostgresProxy["mode"] };

  const listener = createServer((client) => {
    if (proxy.mode === "close") {
      client.on("error", () => undefined);
      client.resume().end();
      return;
    }
    const server = connect(target);
    const line: Line = { client, server, withholding: false };
    lines.add(line);
    client.setNoDelay(true);
    server.setNoDelay(true);
    const reader = createFrontendReader();
    client.on("data", (chunk) => toServer(line, reader, chunk));
    server.on("data", (chunk) => toClient(line, reader, chunk));
    for (const [side, other] of [
      [client, server],
      [server, client],
    ] as const) {
      side.on("error", () => undefined);
      side.on("end", () => other.end());
      side.on("close", () => {
        other.destroy();
        lines.delete(line);
      });
    }
  });

  function destroy(line: Line): void {
    line.client.destroy();
    line.server.destroy();
  }

  function make(line: Line): void {
    destroy(line);
    armed?.made();
    armed = null;
  }

  /** Forwards the bytes before the cut point. Returns true if the connection was cut. */
  function cutWithin(line: Line, to: Socket, chunk: Buffer): boolean {
    if (armed?.cut.at !== "byte") return false;
    armed.bytesLeft -= chunk.length;
    if (armed.bytesLeft > 0) return false;
    const passed = chunk.subarray(0, chunk.length + armed.bytesLeft);
    const { made } = armed;
    const { reset } = armed.cut;
    armed = null;
    to.write(passed, () => {
      if (reset) line.client.resetAndDestroy();
      destroy(line);
      made();
    });
    return true;
  }

  function toServer(line: Line, reader: FrontendReader, chunk: Buffer): void {
    if (proxy.mode === "stall" || line.withholding) return;
    const commits = reader.fromClient(chunk);
    if (cutWithin(line, line.server, chunk)) return;
    if (armed && armed.cut.at !== "byte" && commits.includes(armed.cut.of)) {
      const { at } = armed.cut;
      line.withholding = true;
      line.server.write(chunk, () => {
        if (at === "after_send") make(line);
      });
      return;
    }
    line.server.write(chunk);
  }

  function toClient(line: Line, reader: FrontendReader, chunk: Buffer): void {
    if (proxy.mode === "stall") return;
    const answered = reader.fromServer(chunk);
    if (line.withholding) {
      // The server has replied to every message group, so the statement is committed. The client never gets the reply.
      if (answered && armed?.cut.at === "after_commit") make(line);
      return;
    }
    if (!cutWithin(line, line.client, chunk)) line.client.write(chunk);
  }

  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  // The server listens on a TCP port, so its address is an object.
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    get mode() {
      return proxy.mode;
    },
    set mode(mode) {
      proxy.mode = mode;
    },
    cut(cut) {
      return new Promise((resolve) => {
        armed = { cut, made: resolve, bytesLeft: cut.at === "byte" ? cut.bytes : 0 };
      });
    },
    cutAll() {
      for (const line of lines) destroy(line);
    },
    async stop() {
      const closed = once(listener, "close");
      listener.close();
      for (const line of lines) destroy(line);
      await closed;
    },
  };
}
