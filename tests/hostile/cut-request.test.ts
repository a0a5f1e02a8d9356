import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { startTestBroker } from "../kit/test-broker.js";

const next = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

/**
 * Writes several parts to a persistent connection, each after the response to the previous part. Returns everything
 * that was received until the broker closed the connection.
 */
async function readUntilClosed(port: number, parts: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let came = "";
  let isClosed = false;
  socket.on("data", (chunk) => {
    came += chunk;
  });
  socket.on("error", () => undefined);
  const closed = once(socket, "close").then(() => {
    isClosed = true;
  });
  for (const [index, part] of parts.entries()) {
    if (index > 0) await expect.poll(() => isClosed || countAnswers(came) >= index).toBe(true);
    socket.write(part);
  }
  await closed;
  return came;
}

const countAnswers = (text: string) => text.split("HTTP/1.1 ").length - 1;

it("[GUARD-27] a request that was cut on a kept connection ends it, and no answer to it reaches the next caller", async () => {
  const { port } = await startTestBroker();
  const chunked = `POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  // Simulates a proxy that reuses a connection: the first caller disconnected in the middle of a chunk, and the next
  // caller's request follows.
  expect(await readUntilClosed(port, [`${chunked}5\r\nab${next}${next}`])).toBe("");
  // The rest of a body that is longer than its stated length arrives after the response.
  const answered = await readUntilClosed(port, [next, `ab"}\r\n\r\n${next}`]);
  expect(countAnswers(answered)).toBe(1);
  expect(answered).toMatch(/^HTTP\/1\.1 200 /);
});

it("[GUARD-27] bytes that begin a connection and are no request are answered once, and end it", async () => {
  const { port } = await startTestBroker();
  const answered = await readUntilClosed(port, [`no HTTP\r\n\r\n${next}`]);
  expect(countAnswers(answered)).toBe(1);
  expect(answered).toMatch(/^HTTP\/1\.1 400 /);
});
