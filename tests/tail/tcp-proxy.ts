import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A network between a client and a broker, which can fail. */
export interface TcpProxy {
  readonly url: string;
  /** What becomes of bytes and new connections: passed on, held back without a word, or cut off. */
  mode: "pass" | "stall" | "cut";
  /** How many bytes of the broker's it has passed on. */
  readonly bytesBrought: number;
  /** Cuts every connection that there is. */
  cutAll(): void;
}

/** Stands before a port of this machine until the test has finished. */
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
  // It listens on a port, so its address has this form.
  const { port: own } = listener.address() as AddressInfo;
  return Object.assign(proxy, { url: `http://127.0.0.1:${own}`, cutAll });
}
