import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Cleanup } from "./test-database.js";

/** A server that receives alerts and records them. */
export interface AlertReceiver {
  readonly url: string;
  readonly received: readonly ReceivedAlert[];
  /** Sends the response to each alert. Default: status 204. */
  answer: (response: ServerResponse) => void;
}

export interface ReceivedAlert {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export async function startAlertReceiver(cleanup: Cleanup): Promise<AlertReceiver> {
  const received: ReceivedAlert[] = [];
  const http = createServer(async (request, response) => {
    const { url: path = "", headers } = request;
    received.push({ path, headers, body: await buffer(request) });
    receiver.answer(response);
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  cleanup(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const { port } = http.address() as AddressInfo; // The server listens on TCP, so this is an address and port.
  const receiver: AlertReceiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: respondWith(204),
  };
  return receiver;
}

export function respondWith(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): AlertReceiver["answer"] {
  return (response) => void response.writeHead(status, headers).end();
}
