import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { buildNumber, type CloseReason, MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { protocolVersion } from "@merkle/wire/schemas";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { createRateLimited } from "../../core/rate-limited.js";
import { forEachYielding } from "../../core/yielding-for-each.js";
import { toTextFrame } from "../../feed/delivery/entry.js";
import { createHelloChallenge } from "../../identity/authenticator/verify-hello.js";
import type { RequestOrigin } from "../../identity/origin/request-origin.js";
import { createUnfinishedMessages } from "../guard/unfinished-messages.js";
import { createUnprovenConnections, unprovenBounds } from "../guard/unproven-connections.js";
import { refuseUpgrade } from "../http/http-error.js";
import { readBuild } from "../older-client.js";
import type { Authenticator, Services } from "../services.js";
import { type ClientSession, createClientSession } from "./client-session.js";
import { type ClientConnection, createConnection, createFrameGate } from "./connection.js";

interface ClientOrigin {
  readonly address: string;
  readonly build: number | null;
}

/** The WebSocket transport at `/ws` (WS-1). */
export interface WebSocketTransport {
  /** Upgrades a connection to WebSocket. The request's Host and Origin must already have been checked. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    origin: Pick<RequestOrigin, "address">,
  ): void;
  /** Lets running requests finish, asks clients to reconnect, and resolves once no connection is left. */
  stop(): Promise<void>;
}

export interface WebSocketTransportOptions {
  readonly services: Services;
  readonly authenticator: Authenticator;
  /** Returns whether an address (scheme, host and port) leads to this broker. */
  readonly isOwnOrigin: (origin: string) => boolean;
  readonly heartbeatMs: number;
  /** Time limit for a client to authenticate. */
  readonly helloMs: number;
  /** Time limit for one frame to arrive. */
  readonly frameMs: number;
  readonly connectionsMax?: number | undefined;
}

interface ConnectedClient {
  readonly webSocket: WebSocket;
  readonly connection: ClientConnection;
  readonly session: ClientSession;
  /** Whether any data was received since the last ping. */
  hasReceived: boolean;
}

const pingFrame = Buffer.from([0x89, 0x00]); // complete ping frame without a payload (RFC 6455, 5.5.2)
/**
 * A ping, followed by a heartbeat frame for scripts in browsers, which cannot see pings. Joined so that each
 * connection needs only one write.
 */
const heartbeat = Buffer.concat([pingFrame, toTextFrame(JSON.stringify({ type: "heartbeat" }))]);
const normalClosure = 1000; // the client has finished (RFC 6455, 7.4.1)
/**
 * Maximum number of chunks in which one frame may arrive. A frame of 2 MiB arrives in about 1,500 chunks over
 * an ordinary connection.
 */
const chunksMax = 16_384;
/** Minimum time between two log entries about clients that violate the protocol. */
const logIntervalMs = 1_000;
/** Time limit for a client to close its side after the broker has sent a close frame. */
const closeMsMax = 2_000;
const slowCheckMs = 1_000;
const drainDeadlineMs = 5_000;
const spreadMsMax = 2_000;

export function createWebSocketTransport({
  services,
  authenticator,
  isOwnOrigin,
  heartbeatMs,
  helloMs,
  frameMs,
  connectionsMax = limits.connectionsMax,
}: WebSocketTransportOptions): WebSocketTransport {
  const { limiter, metrics, log } = services;
  const clients = new Set<ConnectedClient>();
  const rateLimited = createRateLimited(logIntervalMs);
  const unproven = createUnprovenConnections({ ...unprovenBounds, msMax: helloMs });
  const unfinished = createUnfinishedMessages({ msMax: frameMs });
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    // Compression would cost memory for each connection and require separate frames for each reader. A small
    // compressed frame could also expand to a large one.
    perMessageDeflate: false,
    autoPong: false,
    // By default, the library would confirm the first subprotocol that a client offers, although the broker
    // supports none.
    handleProtocols: () => false,
    // The option is missing from the library's type definitions.
    closeTimeout: closeMsMax,
    maxPayload: limits.frameBytesMax,
    // A frame that is split into tiny fragments would take a hundred times its size in memory.
    maxFragments: limits.frameFragmentsMax,
    maxBufferedChunks: chunksMax,
  };
  const server = new WebSocketServer(options);
  server.on("wsClientError", (error, socket) =>
    refuseUpgrade(
      socket,
      new MerkleError("bad_request", `This is not a valid WebSocket request: ${error.message}.`),
    ),
  );
  const heartbeatTimer = setInterval(sendHeartbeats, heartbeatMs);
  const slowCheck = setInterval(cutOffSlow, slowCheckMs);

  function accept(webSocket: WebSocket, socket: Duplex, { address, build }: ClientOrigin): void {
    const connection = createConnection(webSocket, socket);
    let isOver = false;
    const cutOff = (reason: CloseReason) => {
      if (isOver) return;
      isOver = true;
      metrics.cutOffs.inc({ reason });
      connection.close(reason);
    };
    const arriving = unfinished.watch({ webSocket, socket, cutOff });
    // The library has already closed the connection, with a code that gives the reason.
    webSocket.on("error", (error) =>
      rateLimited((leftOut) =>
        log.info("a WebSocket client broke the protocol", {
          error: error.message,
          client: address,
          ...(leftOut > 0 && { others_meanwhile: leftOut }),
        }),
      ),
    );
    if (clients.size >= connectionsMax) return cutOff("too_many_connections");
    const challenge = createHelloChallenge();
    const unprovenGuard = services.auth === "invite" ? unproven.begin({ socket, address, cutOff }) : null;
    const greeting = {
      authenticator,
      challenge,
      isOwnOrigin,
      onAuthenticated: () => unprovenGuard?.markAuthenticated(),
      build,
    };
    const session = createClientSession(greeting, connection, address, cutOff);
    const gate = createFrameGate({
      connection,
      admit: () => limiter.admitFrame(address, session.principal),
      onOverflow: () => cutOff("too_many_requests"),
    });
    const client: ConnectedClient = { webSocket, connection, session, hasReceived: true };
    clients.add(client);
    metrics.sockets.inc();

    let lateFrames = 0;
    /**
     * Returns whether a frame is still accepted. While a client's connection is being closed, the client may
     * still have frames in flight, but only a limited number.
     */
    function acceptFrame(): boolean {
      if (isOver) lateFrames += 1;
      if (lateFrames > limits.waitingFramesPerConnectionMax) webSocket.terminate();
      return !isOver;
    }

    webSocket.on("message", (data, isBinary) => {
      arriving.onMessage();
      client.hasReceived = true;
      if (!acceptFrame() || (unprovenGuard && !unprovenGuard.acceptFrame())) return;
      if (isBinary) return cutOff("bad_frame");
      gate.take(() => session.receive(String(data)));
    });
    // Pings are rate-limited like frames. If the library answered them itself, a flood of pings would cost
    // its sender nothing.
    webSocket.on("ping", (data) => {
      arriving.onControlFrame(data);
      if (acceptFrame()) gate.take(() => connection.write(createPongFrame(data)));
    });
    webSocket.on("pong", (data) => {
      arriving.onControlFrame(data);
      client.hasReceived = true;
      // A pong that answers no ping counts like any other frame.
      if (!connection.answer(data) && acceptFrame()) gate.take(() => undefined);
    });
    webSocket.once("close", (code) => {
      gate.close();
      session.end(code === normalClosure ? "goodbye" : "lost");
      clients.delete(client);
      metrics.sockets.dec();
    });
    connection.send({
      type: "hello",
      protocol: protocolVersion,
      version: services.version,
      build: buildNumber,
      epoch: services.database.epoch,
      auth: services.auth,
      broker_id: services.database.brokerId,
      nonce: challenge.nonce,
      heartbeat_ms: heartbeatMs,
    });
  }

  function sendHeartbeats(): void {
    void forEachYielding(clients, (client) => {
      if (!client.hasReceived) {
        metrics.cutOffs.inc({ reason: "heartbeat_missed" });
        client.connection.terminate();
        return;
      }
      client.hasReceived = false;
      if (client.connection.isReady) client.connection.write(heartbeat);
      else client.webSocket.ping();
    });
  }

  function cutOffSlow(): void {
    unfinished.sweep();
    void forEachYielding(clients, ({ connection }) => {
      if (!connection.isStalled) return;
      metrics.cutOffs.inc({ reason: "slow_consumer" });
      connection.close("slow_consumer");
      // The close frame is queued behind data that the client does not read, so the connection is closed
      // without it.
      connection.terminate();
    });
  }

  /**
   * Asks every client to reconnect. If there are other nodes, each client is asked at a random time, so that
   * the clients do not all reconnect to those nodes at once (NODE-13).
   */
  async function sendAway(): Promise<void> {
    const spreadMs = services.nodes.others.size > 0 ? spreadMsMax : 0;
    await Promise.all(
      [...clients].map(async ({ connection }) => {
        if (spreadMs > 0) await delay(Math.random() * spreadMs);
        connection.close("going_away");
      }),
    );
  }

  return {
    upgrade(request, socket, head, { address }) {
      const build = readBuild(request.headers);
      server.handleUpgrade(request, socket, head, (webSocket) =>
        accept(webSocket, socket, { address, build }),
      );
    },
    async stop() {
      clearInterval(heartbeatTimer);
      clearInterval(slowCheck);
      await waitUntil(() => [...clients].every((client) => client.session.unanswered === 0), drainDeadlineMs);
      await sendAway();
      await waitUntil(() => clients.size === 0, 1_000);
      for (const client of clients) client.connection.terminate();
      server.close();
    },
  };
}

/** Returns the reply to a ping, which repeats the ping's payload (RFC 6455, section 5.5.3). */
function createPongFrame(data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x8a, data.length]), data]);
}

async function waitUntil(condition: () => boolean, deadlineMs: number): Promise<void> {
  const until = performance.now() + deadlineMs;
  while (!condition() && performance.now() < until) await delay(10);
}
