import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createTrials } from "./connections-on-trial.js";

it("[GUARD-8] a connection of an address refused lately takes one of its refusals until it asks for something", async () => {
  let left = 2;
  const server = createServer((_request, response) => response.end());
  const putOnTrial = createTrials(server, () => {
    if (left === 1) return null;
    left -= 1;
    return () => {
      left += 1;
    };
  });
  const tried: boolean[] = [];
  server.prependListener("connection", (socket) => void tried.push(putOnTrial(socket, "a")));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await expect.poll(() => left).toBe(1);
  connect((server.address() as AddressInfo).port, "127.0.0.1").end();
  await expect.poll(() => tried).toEqual([true, false]);
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await expect.poll(() => left).toBe(2);
  // Once alone.
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "data");
  expect(left).toBe(2);
  socket.destroy();
});
