import type { RequestListener, Server } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import { MerkleError } from "@merkle/wire";
import { refuseUpgrade } from "../http/http-error.js";
import type { Certificate } from "./certificate.js";
import { createHandshakes, type HandshakeLimits, handshakeLimits } from "./handshakes.js";

/** A server that accepts only HTTP over TLS on its port. */
export interface TlsListener {
  readonly server: Server;
  /** Uses this certificate for new connections. Existing connections keep the old certificate. */
  renew(certificate: Certificate): void;
  /**
   * Closes the connections whose handshake is not complete. The HTTP server does not track these connections
   * itself.
   */
  abandonHandshakes(): void;
}

export interface TlsListenerOptions {
  readonly certificate: Certificate;
  readonly options: ServerOptions;
  readonly onRequest: RequestListener;
  readonly limits?: HandshakeLimits | undefined;
}

const handshakeRecord = 0x16; // content type of a handshake record (RFC 8446, 5.1)

export function createTlsListener({
  certificate,
  options,
  onRequest,
  limits = handshakeLimits,
}: TlsListenerOptions): TlsListener {
  const server = createServer({ ...options, ...toContext(certificate) }, onRequest);
  const handshakes = createHandshakes(limits);

  // Node's own listener starts TLS. A new listener runs before it, to inspect the first byte.
  const [beginTls] = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    handshakes.begin(socket);
    // A broken socket is destroyed automatically, so the error can be ignored.
    socket.on("error", () => undefined);
    socket.once("data", (chunk: Buffer) => {
      if (chunk[0] !== handshakeRecord) return refusePlain(socket, chunk);
      socket.pause();
      socket.unshift(chunk);
      beginTls?.call(server, socket);
    });
  });
  server.on("secureConnection", (socket) => handshakes.complete(socket));
  // By default, Node would answer a failed handshake as if it were malformed HTTP, in plain text that the
  // client cannot read.
  server.removeAllListeners("tlsClientError");
  server.on("tlsClientError", (_error, socket) => socket.destroy());

  return {
    server,
    renew: (renewed) => server.setSecureContext(toContext(renewed)),
    abandonHandshakes: () => handshakes.abandon(),
  };
}

function toContext({ cert, key }: Certificate) {
  return { cert, key, minVersion: "TLSv1.2" } as const;
}

/** Explains to a client that uses plain HTTP how to connect. Disconnects any other client. */
function refusePlain(socket: Socket, chunk: Buffer): void {
  if (!/^[A-Z]+ /.test(chunk.subarray(0, 16).toString("latin1"))) {
    socket.destroy();
    return;
  }
  // The rest of the request is read and discarded. Unread data would reset the connection before the client reads the reply.
  socket.resume();
  refuseUpgrade(
    socket,
    new MerkleError("bad_request", "This port accepts only TLS: use an address with https:// or wss://."),
  );
}
