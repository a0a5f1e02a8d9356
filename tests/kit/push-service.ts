import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type WebSocket, WebSocketServer } from "ws";
import type { Cleanup } from "./test-database.js";

/**
 * A push service like Mozilla's autopush. Browsers connect by WebSocket, and senders use POST. The messages that it
 * forwards are encrypted for the browser.
 */
export interface PushService {
  /** Value for the browser's `dom.push.serverURL`. */
  readonly url: string;
  /** Result codes sent by the browser. 100 means that its service worker received the message. */
  readonly acknowledged: readonly number[];
}

export async function startPushService(cleanup: Cleanup): Promise<PushService> {
  const acknowledged: number[] = [];
  let browser: WebSocket | undefined;
  const http = createServer(async (request, response) => {
    const [, channelID] = /^\/send\/([\w-]+)$/.exec(request.url ?? "") ?? [];
    const data = (await buffer(request)).toString("base64url");
    const headers = { encoding: request.headers["content-encoding"] };
    browser?.send(
      JSON.stringify({ messageType: "notification", channelID, version: randomUUID(), data, headers }),
    );
    response.writeHead(browser ? 201 : 404).end();
  });
  const sockets = new WebSocketServer({ server: http });
  sockets.on("connection", (socket) => {
    browser = socket;
    socket.on("message", (data) => {
      const said = JSON.parse(String(data));
      const reply = answer(said);
      if (reply) socket.send(JSON.stringify(reply));
      if (said.messageType === "ack")
        acknowledged.push(...said.updates.map(({ code }: { code: number }) => code));
    });
  });

  function answer({ messageType, channelID }: { messageType?: string; channelID?: string }): object | null {
    if (messageType === undefined) return {};
    if (messageType === "hello")
      return { messageType, status: 200, uaid: randomUUID(), use_webpush: true, broadcasts: {} };
    if (messageType === "register")
      return { messageType, status: 200, channelID, pushEndpoint: `http://${host()}/send/${channelID}` };
    return messageType === "unregister" ? { messageType, status: 200, channelID } : null;
  }

  const host = () => `127.0.0.1:${(http.address() as AddressInfo).port}`;
  await once(http.listen(0, "127.0.0.1"), "listening");
  cleanup(async () => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return { url: `ws://${host()}/`, acknowledged };
}
