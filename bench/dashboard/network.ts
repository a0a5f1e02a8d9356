import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A network between a browser and a broker. The network can be cut. */
export interface Network {
  readonly url: string;
  /** Cuts every connection, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
  stop(): Promise<void>;
}

export async function startNetwork(port: number): Promise<Network> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const listener = createServer((client) => {
    if (isCut) return void client.destroy();
    const server = connect(port, "127.0.0.1");
    for (const [side, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(side);
      side.on("error", () => other.destroy());
      side.on("close", () => sockets.delete(side));
      side.pipe(other);
    }
  });
  function cutAll(): void {
    for (const socket of sockets) socket.destroy();
  }
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  // The server listens on a port, so its address has this type.
  const { port: own } = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    cut() {
      isCut = true;
      cutAll();
    },
    restore() {
      isCut = false;
    },
    async stop() {
      const closed = once(listener, "close");
      listener.close();
      cutAll();
      await closed;
    },
  };
}
