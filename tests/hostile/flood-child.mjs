/** An attacker in a separate process. It floods a broker in one of six ways until it is stopped. */
import { connect } from "node:net";
import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";

const { attack, port, session } = JSON.parse(process.argv[2] ?? "{}");
// A real attacker would have its own processors, so this process must take no processor time from the broker.
setPriority(19);

const json = "Content-Type: application/json";

function toRequest(line, ...headers) {
  return `${[`${line} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n`;
}

/** Returns a WebSocket frame as a client sends it (RFC 6455, 5.2), masked with zeros. */
function toFrame(payload, opening = 0x81) {
  const bytes = Buffer.from(payload);
  const head = bytes.length < 126 ? Buffer.alloc(2) : Buffer.alloc(10);
  head[0] = opening;
  head[1] = 0x80 | (bytes.length < 126 ? bytes.length : 127);
  if (bytes.length >= 126) head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([head, Buffer.alloc(4), bytes]);
}

/** Opens a connection. Returns null if the broker refuses it. */
function open() {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.once("connect", () => resolve(socket));
    socket.once("close", () => resolve(null));
  });
}

async function upgrade(...more) {
  const socket = await open();
  socket?.write(
    toRequest(
      "GET /ws",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ...more,
    ),
  );
  return new Promise((resolve) => {
    if (!socket) return resolve(null);
    socket.once("data", (chunk) => resolve(chunk.includes(" 101 ") ? socket : null));
    socket.once("close", () => resolve(null));
  });
}

/** Resolves when the data has been sent. Resolves with false if the connection has closed. */
function written(socket, bytes) {
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    socket.once("close", gone);
    if (socket.destroyed) return gone();
    socket.write(bytes, (error) => {
      socket.off("close", gone);
      resolve(!error);
    });
  });
}

const attacks = {
  /** Sends ten requests on each connection before reopening it, and sends frames as fast as the network allows. */
  requests: {
    at: 20,
    pings: Buffer.concat(Array(1_000).fill(toFrame('{"type":"ping","id":1}'))),
    async once(n) {
      const socket = n % 2 === 0 ? await open() : await upgrade();
      if (!socket) return;
      const closed = new Promise((resolve) => socket.resume().once("close", resolve));
      if (n % 2 === 0)
        socket.write(
          toRequest("GET /api/sessions").repeat(9) + toRequest("GET /api/sessions", "Connection: close"),
        );
      else while (await written(socket, this.pings));
      await closed;
    },
  },
  /** Headers and bodies that are sent one byte at a time. */
  "slow-requests": {
    at: 1_200,
    async once(n) {
      const socket = await open();
      socket?.resume();
      const head =
        n % 2 === 0
          ? "GET /api/sessions HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
          : toRequest("POST /api/sessions", json, "Content-Length: 100000");
      if (socket && (await written(socket, head))) while (await written(socket, "x")) await delay(200);
    },
  },
  /** Connections that stay open for as long as the broker allows. */
  upgrades: {
    at: 2_000,
    async once() {
      const socket = await upgrade();
      if (socket) await new Promise((resolve) => socket.resume().once("close", resolve));
    },
  },
  /** 64 KiB that decompress to 64 MiB, sent as frames and as bodies. */
  "compression-bombs": {
    at: 40,
    bomb: gzipSync(Buffer.alloc(64 * 1024 * 1024)),
    async once(n) {
      const head = toRequest(
        "POST /api/sessions",
        json,
        "Content-Encoding: gzip",
        `Content-Length: ${this.bomb.length}`,
      );
      const isFrame = n % 2 === 0;
      const socket = isFrame ? await upgrade("Sec-WebSocket-Extensions: permessage-deflate") : await open();
      if (!socket) return;
      const bytes = isFrame ? toFrame(this.bomb, 0xc1) : Buffer.concat([Buffer.from(head), this.bomb]);
      const closed = new Promise((resolve) => socket.resume().once("close", resolve));
      if (await written(socket, bytes)) await closed;
    },
  },
  /** Messages that never end: some in fragments of one byte, others with only the last byte missing. */
  fragments: {
    at: 200,
    pieces: Buffer.concat(Array(1_000).fill(toFrame(" ", 0x00))),
    large: toFrame(Buffer.alloc(2 * 1024 * 1024)).subarray(0, -1),
    async once(n) {
      const socket = await upgrade();
      socket?.resume();
      if (socket && n % 4 === 0) {
        await written(socket, this.large);
        await new Promise((resolve) => socket.once("close", resolve));
      } else if (socket && (await written(socket, toFrame("{", 0x01)))) {
        while (await written(socket, this.pieces));
      }
    },
  },
  /** Clients that follow the session in which others post, but read nothing from the socket. */
  "stopped-readers": {
    at: 500,
    async once() {
      const socket = await upgrade();
      if (!socket) return;
      socket.pause();
      const follow = { type: "subscribe", id: 1, kind: "follow", session_id: session, after: 0 };
      await written(socket, toFrame(JSON.stringify(follow)));
      // A client that reads nothing notices a closed connection only when a write fails.
      while (await written(socket, toFrame("", 0x8a))) await delay(500);
    },
  },
};

const { at } = attacks[attack];
for (let n = 0; n < at; n += 1) void again(n);
process.stdout.write("begun\n");
// The end of stdin means that the parent has exited, and nothing else would stop this process.
process.stdin.resume().once("end", () => process.exit(0));

async function again(n) {
  for (;;) {
    await attacks[attack].once(n);
    await delay(10);
  }
}
