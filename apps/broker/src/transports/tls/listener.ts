import type { RequestListener, Server } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import { MerkleError } from "@merkle/wire";
import { refuseUpgrade } from "../http/http-error.js";
import type { Certificate } from "./certificate.js";
import { createHandshakes, type HandshakeLimits, handshakeLimits } from "./handshakes.js";

/** A server that speaks HTTP over TLS alone, on one port. */
export interface TlsListener {
  readonly server: Server;
  /** Serves connections from now on with this certificate; those that stand keep theirs. */
  renew(certificate: Certificate): void;
  /** Ends connections that are not secured yet, which the server itself knows nothing of. */
  abandonHandshakes(): void;
}

export interface TlsListenerOptions {
  readonly certificate: Certificate;
  readonly options: ServerOptions;
  readonly onRequest: RequestListener;
  readonly limits?: HandshakeLimits | undefined;
}

const handshakeRecord = 0x16; // RFC 8446, 5.1: the content type that a handshake begins with

export function createTlsListener({
  certificate,
  options,
  onRequest,
  limits = handshakeLimits,
}: TlsListenerOptions): TlsListener {
  const server = createServer({ ...options, ...toContext(certificate) }, onRequest);
  const handshakes = createHandshakes(limits);

  // TLS is begun by the listener that Node has set; ours comes before it, to see the first byte.
  const [beginTls] = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    handshakes.begin(socket);
    // A socket that breaks is destroyed by itself.
    socket.on("error", () => undefined);
    socket.once("data", (chunk: Buffer) => {
      if (chunk[0] !== handshakeRecord) return refusePlain(socket, chunk);
      socket.pause();
      socket.unshift(chunk);
      beginTls?.call(server, socket);
    });
  });
  server.on("secureConnection", (socket) => handshakes.done(socket));
  // Node's own listener would have a failed handshake answered like bad HTTP, in words that nobody can read.
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

/** A client that speaks HTTP is told what to do; any other is not understood. Nobody is kept waiting. */
function refusePlain(socket: Socket, chunk: Buffer): void {
  if (!/^[A-Z]+ /.test(chunk.subarray(0, 16).toString("latin1"))) {
    socket.destroy();
    return;
  }
  // The rest of the request is read and dropped: unread, it would reset the connection before the answer is read.
  socket.resume();
  refuseUpgrade(
    socket,
    new MerkleError("bad_request", "This port accepts only TLS: use an address with https:// or wss://."),
  );
}
