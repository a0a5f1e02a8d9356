import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createFrontendReader, type FrontendReader } from "./postgres-protocol.js";

/** Where and how a connection is to be cut. */
export type Cut =
  /** A statement that commits was sent and was answered by the server; the answer is kept back. */
  | { readonly at: "after_commit"; readonly of: "append" | "transaction" }
  /** The same statement was sent; nobody waits for its answer. */
  | { readonly at: "after_send"; readonly of: "append" | "transaction" }
  /** That many bytes have passed, in both directions and over all connections: in the middle of anything. */
  | {
      readonly at: "byte";
      readonly bytes: number;
      /** By a reset, which is an error to the client; else it sees an orderly end. */
      readonly reset?: boolean;
    };

/** A TCP proxy before a PostgreSQL server that knows enough of the protocol to cut where it hurts most. */
export interface PostgresProxy {
  readonly port: number;
  /** Resolves when the cut was made. One at a time. */
  cut(cut: Cut): Promise<void>;
  /** What becomes of connections: passed on, closed as soon as they are made, or left without any answer. */
  mode: "pass" | "close" | "stall";
  /** Cuts every connection that there is. */
  cutAll(): void;
  stop(): Promise<void>;
}

interface Line {
  readonly client: Socket;
  readonly server: Socket;
  /** The statement has been sent; from here on nothing passes to the client. */
  withholding: boolean;
}

export async function startPostgresProxy(target: { host: string; port: number }): Promise<PostgresProxy> {
  const lines = new Set<Line>();
  let armed: { cut: Cut; made: () => void; bytesLeft: number } | null = null;
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

  /** Passes on what may pass before the cut; true when the cut was made. */
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
      // All is answered, so this one is committed, and its client will never hear of it.
      if (answered && armed?.cut.at === "after_commit") make(line);
      return;
    }
    if (!cutWithin(line, line.client, chunk)) line.client.write(chunk);
  }

  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  // It listens on a port, so its address has this form.
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
