import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * A TCP proxy between one client and the broker. It reads the broker's replies completely, but can forward only part
 * of them.
 */
export interface CuttingProxy {
  readonly url: string;
  /** Number of cuts so far. */
  readonly cuts: number;
  /** Forwards this many more bytes to the client, then ends the connection. Null forwards everything. */
  cutAfter(bytes: number | null): void;
  stop(): Promise<void>;
}

export async function startCuttingProxy(broker: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(broker);
  const sockets = new Set<Socket>();
  let left: number | null = null;
  let cuts = 0;

  function join(client: Socket): void {
    const server = connect({ host: hostname, port: Number(port) });
    for (const [side, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(side);
      side.setNoDelay(true).on("error", () => undefined);
      side.on("end", () => other.end());
      side.on("close", () => {
        sockets.delete(side);
        other.destroy();
      });
    }
    client.on("data", (chunk) => server.write(chunk));
    server.on("data", (chunk) => {
      if (left === null || chunk.length <= left) {
        if (left !== null) left -= chunk.length;
        client.write(chunk);
        return;
      }
      const passed = chunk.subarray(0, left);
      left = null;
      cuts += 1;
      if (passed.length > 0) client.write(passed, () => client.destroy());
      else client.destroy();
    });
  }

  const listener = createServer(join);
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  // The server listens on a TCP port, so its address is an object.
  const address = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    get cuts() {
      return cuts;
    },
    cutAfter(bytes) {
      left = bytes;
    },
    async stop() {
      const closed = once(listener, "close");
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
