import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A TCP proxy that simulates network failures between a client and a broker. */
export interface TcpProxy {
  readonly url: string;
  /** What happens to data and new connections: they are forwarded, held back silently, or cut. */
  mode: "pass" | "stall" | "cut";
  /** Number of bytes forwarded from the broker. */
  readonly bytesBrought: number;
  cutAll(): void;
}

/** Starts a proxy for a local port. It stops at the end of the test. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const proxy = { mode: "pass" as TcpProxy["mode"], bytesBrought: 0 };

  const listener = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    for (const [side, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(side);
      side.on("error", () => undefined);
      side.on("data", (chunk) => {
        if (proxy.mode !== "pass") return;
        if (side === server) proxy.bytesBrought += chunk.length;
        other.write(chunk);
      });
      side.on("close", () => {
        sockets.delete(side);
        if (proxy.mode !== "stall") other.destroy();
      });
    }
    if (proxy.mode === "cut") client.destroy();
  });
  function cutAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(async () => {
    const closed = once(listener, "close");
    listener.close();
    cutAll();
    await closed;
  });
  // The server listens on a TCP port, so its address is an object.
  const { port: own } = listener.address() as AddressInfo;
  return Object.assign(proxy, { url: `http://127.0.0.1:${own}`, cutAll });
}
