import { once } from "node:events";
import { request } from "node:https";
import { type AddressInfo, connect as connectPlain, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeCertificate } from "../../../../../tests/kit/certificates.js";
import type { HandshakeLimits } from "./handshakes.js";
import { createTlsListener, type TlsListener } from "./listener.js";

const limits = { msMax: 60_000, countMax: 4 };
const certificate = makeCertificate();
const toCertificate = (pair: typeof certificate) => ({
  ...pair,
  names: [],
  keyPin: null,
  validTo: new Date(),
});

async function listen(limits: HandshakeLimits): Promise<{ listener: TlsListener; port: number }> {
  const listener = createTlsListener({
    certificate: toCertificate(certificate),
    options: {},
    onRequest: (_request, response) => response.end("served"),
    limits,
  });
  listener.server.listen(0, "127.0.0.1");
  await once(listener.server, "listening");
  return { listener, port: (listener.server.address() as AddressInfo).port };
}

async function close({ server, abandonHandshakes }: TlsListener): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  abandonHandshakes();
  await closed;
}

let listener: TlsListener;
let port = 0;
beforeAll(async () => {
  ({ listener, port } = await listen(limits));
});
afterAll(() => close(listener));

function ask(ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, ca, agent: false }, (response) => {
      response.setEncoding("utf8").on("data", resolve);
    })
      .on("error", reject)
      .end();
  });
}

function open(to = port): Socket {
  const socket = connectPlain(to, "127.0.0.1");
  socket.on("error", () => undefined);
  return socket;
}

async function answerTo(text: string): Promise<string> {
  const socket = open();
  let answer = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    answer += chunk;
  });
  socket.write(text);
  await once(socket, "close");
  return answer;
}

it("[TLS-1] serves TLS 1.2 and 1.3, and nothing older", async () => {
  expect(await ask(certificate.cert)).toBe("served");
  const shakeHands = async (version: "TLSv1.1" | "TLSv1.2" | "TLSv1.3") => {
    const ciphers = "DEFAULT@SECLEVEL=0";
    const socket: TLSSocket = connect({
      host: "127.0.0.1",
      port,
      ca: certificate.cert,
      minVersion: version,
      maxVersion: version,
      ciphers,
    });
    try {
      await once(socket, "secureConnect");
      return socket.getProtocol();
    } finally {
      socket.destroy();
    }
  };
  expect(await shakeHands("TLSv1.2")).toBe("TLSv1.2");
  expect(await shakeHands("TLSv1.3")).toBe("TLSv1.3");
  await expect(shakeHands("TLSv1.1")).rejects.toThrow();
});

it("[TLS-5] HTTP without TLS gets one sentence and the end, whatever else is sent just the end", async () => {
  for (const text of [
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    `POST /api/sessions HTTP/1.1\r\n${"x".repeat(500_000)}`,
  ]) {
    const answer = await answerTo(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("use an address with https:// or wss://");
  }
  expect(await answerTo("\u0000\u0000")).toBe("");
  expect(await answerTo("SSH-2.0-x\r\n")).toBe("");
  // This input begins like a TLS record but is not valid. The only allowed reply is a TLS alert.
  expect(await answerTo("\u0016\u0003\u0001\u0000\u0004xxxx")).not.toContain("HTTP");
  expect(await ask(certificate.cert)).toBe("served");
});

it("[TLS-6] who does not shake hands in time is cut off, silent or begun, and one that stops waits for none", async () => {
  const impatient = await listen({ msMax: 100, countMax: 4 });
  const silent = open(impatient.port);
  const begun = open(impatient.port);
  begun.write(Buffer.from([0x16]));
  await Promise.all([once(silent, "close"), once(begun, "close")]);
  await close(impatient.listener);

  const patient = await listen(limits);
  const accepted = once(patient.listener.server, "connection");
  const waiting = open(patient.port);
  await accepted;
  await Promise.all([close(patient.listener), once(waiting, "close")]);
});

it("[TLS-6] with one more than may shake hands at once the oldest ends, and others get in", async () => {
  const sockets = Array.from({ length: limits.countMax + 1 }, () => open());
  const first = Promise.race(sockets.map((socket) => once(socket, "close")));
  expect(await ask(certificate.cert)).toBe("served");
  await first;
  for (const socket of sockets) socket.destroy();
});

it("[TLS-4] a renewed certificate is served from then on, and open connections keep theirs", async () => {
  const standing = connect({ host: "127.0.0.1", port, ca: certificate.cert });
  await once(standing, "secureConnect");
  const renewed = makeCertificate();
  listener.renew(toCertificate(renewed));
  expect(await ask(renewed.cert)).toBe("served");
  await expect(ask(certificate.cert)).rejects.toThrow();
  standing.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  standing.setEncoding("utf8");
  const [answer] = await once(standing, "data");
  expect(answer).toContain("200 OK");
  standing.destroy();
  listener.renew(toCertificate(certificate));
});
