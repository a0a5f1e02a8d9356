import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { buildNumber, type CloseReason, MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { protocolVersion } from "@merkle/wire/schemas";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { createRateLimited } from "../../core/rate-limited.js";
import { yieldingForEach } from "../../core/yielding-for-each.js";
import { textFrame } from "../../feed/delivery/entry.js";
import { createHelloChallenge } from "../../identity/authenticator/verify-hello.js";
import type { RequestOrigin } from "../../identity/origin/request-origin.js";
import { createUnfinishedMessages } from "../guard/unfinished-messages.js";
import { createUnprovenConnections, unprovenBounds } from "../guard/unproven-connections.js";
import { refuseUpgrade } from "../http/http-error.js";
import { readBuild } from "../older-client.js";
import type { Authenticator, Services } from "../services.js";
import { type ClientSession, createClientSession } from "./client-session.js";
import { type Connection, createConnection, createFrameGate } from "./connection.js";

interface Source {
  readonly address: string;
  readonly build: number | null;
}

/** The WebSocket transport at `/ws` (WS-1). */
export interface WebSocketTransport {
  /** Takes over a connection that asks to be upgraded; Host and Origin have been checked. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    origin: Pick<RequestOrigin, "address">,
  ): void;
  /** Lets requests under way finish, tells clients to come back, and resolves when no connection is left. */
  stop(): Promise<void>;
}

export interface WebSocketTransportOptions {
  readonly services: Services;
  readonly authenticator: Authenticator;
  /** Whether this scheme, host and port lead to the broker. */
  readonly isOwnOrigin: (origin: string) => boolean;
  readonly heartbeatMs: number;
  /** How long a client may take to prove who it is. */
  readonly helloMs: number;
  /** How long a frame may take to arrive. */
  readonly frameMs: number;
  readonly connectionsMax?: number | undefined;
}

interface Client {
  readonly webSocket: WebSocket;
  readonly connection: Connection;
  readonly session: ClientSession;
  /** Whether anything came since the last ping. */
  heard: boolean;
}

const pingFrame = Buffer.from([0x89, 0x00]); // RFC 6455, 5.5.2: a whole ping, without a body
/** A ping, and the frame for scripts in a browser, which cannot see pings: one write for each connection, not two. */
const heartbeat = Buffer.concat([pingFrame, textFrame(JSON.stringify({ type: "heartbeat" }))]);
const normalClosure = 1000; // RFC 6455, 7.4.1: the client has done what it connected for
/** Pieces in which the network may bring one frame: one of 2 MiB comes in 1,500 over an ordinary line. */
const chunksMax = 16_384;
/** The log gets one line in so long about clients that break the protocol again and again. */
const toldEveryMs = 1_000;
/** A client that was told why its connection ends has so long to end it, whatever it sends meanwhile. */
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
  const clients = new Set<Client>();
  const rateLimited = createRateLimited(toldEveryMs);
  const unproven = createUnprovenConnections({ ...unprovenBounds, msMax: helloMs });
  const unfinished = createUnfinishedMessages({ msMax: frameMs });
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    // It would cost memory per connection, make each reader's frames its own, and unpack what is small into what is not.
    perMessageDeflate: false,
    autoPong: false,
    // The first that a client offers would be confirmed, and none is spoken.
    handleProtocols: () => false,
    // The types do not know it yet.
    closeTimeout: closeMsMax,
    maxPayload: limits.frameBytesMax,
    // A frame in tiny pieces would take a hundred times its size in memory.
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
  const beating = setInterval(beat, heartbeatMs);
  const slowCheck = setInterval(cutOffSlow, slowCheckMs);

  function accept(webSocket: WebSocket, socket: Duplex, { address, build }: Source): void {
    const connection = createConnection(webSocket, socket);
    let isOver = false;
    const cutOff = (reason: CloseReason) => {
      if (isOver) return;
      isOver = true;
      metrics.cutOffs.inc({ reason });
      connection.close(reason);
    };
    const arriving = unfinished.watch({ webSocket, socket, cutOff });
    // The library has closed the connection with a code that says why.
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
    const unproved = services.auth === "invite" ? unproven.begin({ socket, address, cutOff }) : null;
    const greeting = { authenticator, challenge, isOwnOrigin, proved: () => unproved?.proved(), build };
    const session = createClientSession(greeting, connection, address, cutOff);
    const gate = createFrameGate({
      connection,
      admit: () => limiter.admitFrame(address, session.principal),
      overflow: () => cutOff("too_many_requests"),
    });
    const client: Client = { webSocket, connection, session, heard: true };
    clients.add(client);
    metrics.sockets.inc();

    let lateFrames = 0;
    /** Whether a frame is still taken. A client that was told that its connection ends may have more on its way, but no flood. */
    function takesFrame(): boolean {
      if (isOver) lateFrames += 1;
      if (lateFrames > limits.waitingFramesPerConnectionMax) webSocket.terminate();
      return !isOver;
    }

    webSocket.on("message", (data, isBinary) => {
      arriving.message();
      client.heard = true;
      if (!takesFrame() || (unproved && !unproved.takesFrame())) return;
      if (isBinary) return cutOff("bad_frame");
      gate.take(() => session.receive(String(data)));
    });
    // Answered by the library it would cost its sender nothing, however many come.
    webSocket.on("ping", (data) => {
      arriving.control(data);
      if (takesFrame()) gate.take(() => connection.write(pongFrame(data)));
    });
    webSocket.on("pong", (data) => {
      arriving.control(data);
      client.heard = true;
      // One that nobody asked for is a frame like others.
      if (!connection.answer(data) && takesFrame()) gate.take(() => undefined);
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

  function beat(): void {
    void yieldingForEach(clients, (client) => {
      if (!client.heard) {
        metrics.cutOffs.inc({ reason: "heartbeat_missed" });
        client.connection.terminate();
        return;
      }
      client.heard = false;
      if (client.connection.ready) client.connection.write(heartbeat);
      else client.webSocket.ping();
    });
  }

  function cutOffSlow(): void {
    unfinished.sweep();
    void yieldingForEach(clients, ({ connection }) => {
      if (!connection.stalled) return;
      metrics.cutOffs.inc({ reason: "slow_consumer" });
      connection.close("slow_consumer");
      // Its close frame stands behind what it does not read.
      connection.terminate();
    });
  }

  /**
   * Tells every client to come back. Where other nodes take them over at once, each is told at a moment of its own, so that they
   * do not all knock there together (NODE-13).
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
      clearInterval(beating);
      clearInterval(slowCheck);
      await waitUntil(() => [...clients].every((client) => client.session.unanswered === 0), drainDeadlineMs);
      await sendAway();
      await waitUntil(() => clients.size === 0, 1_000);
      for (const client of clients) client.connection.terminate();
      server.close();
    },
  };
}

/** Returns the answer to a ping: its own bytes (RFC 6455, 5.5.3). */
function pongFrame(data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x8a, data.length]), data]);
}

async function waitUntil(isSo: () => boolean, deadlineMs: number): Promise<void> {
  const until = performance.now() + deadlineMs;
  while (!isSo() && performance.now() < until) await delay(10);
}
