import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A TCP proxy that distributes connections to its targets in rotation, skipping targets that refuse the connection. */
export interface TurningProxy {
  readonly port: number;
  /** Closes the oldest connection. The disconnected client reconnects and gets the next target. */
  endOldest(): void;
  /** Closes all connections and accepts no new connections for this time. */
  cut(ms: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startTurningProxy(targets: () => readonly number[]): Promise<TurningProxy> {
  const clients = new Set<Socket>();
  let turn = 0;
  let isCut = false;

  /** Retries all targets until one accepts or the client disconnects. */
  async function reach(client: Socket): Promise<Socket | null> {
    while (!client.destroyed && !isCut) {
      for (const port of inTurn()) {
        const server = connect({ host: "127.0.0.1", port });
        const isOpen = await once(server, "connect").then(
          () => true,
          () => false,
        );
        if (isOpen) return server;
      }
      await delay(20);
    }
    return null;
  }

  function inTurn(): readonly number[] {
    const ports = targets();
    turn = (turn + 1) % Math.max(ports.length, 1);
    return [...ports.slice(turn), ...ports.slice(0, turn)];
  }

  async function join(client: Socket): Promise<void> {
    client.setNoDelay(true).pause();
    client.on("error", () => undefined).on("close", () => clients.delete(client));
    if (isCut) return void client.destroy();
    clients.add(client);
    const server = await reach(client);
    if (!server || client.destroyed) {
      server?.destroy();
      return void client.destroy();
    }
    server.setNoDelay(true).on("error", () => undefined);
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
    client.pipe(server);
    server.pipe(client);
  }

  const listener = createServer({ pauseOnConnect: true }, (client) => void join(client));
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    // The server listens on a TCP port, so its address is an object.
    port: (listener.address() as AddressInfo).port,
    endOldest() {
      const [oldest] = clients;
      oldest?.destroy();
    },
    async cut(ms) {
      isCut = true;
      for (const client of clients) client.destroy();
      await delay(ms);
      isCut = false;
    },
    async stop() {
      const closed = once(listener, "close");
      listener.close();
      isCut = true;
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}
