import { expect, it } from "vitest";
import { isClearText } from "../core/clear-text.js";
import { connect } from "./connect.js";

it("[TLS-15] clear text is what leaves this machine without TLS", () => {
  const loopback = [
    "localhost:7423",
    "LOCALHOST",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "127.9.9.9:1",
    "[::1]:7423",
  ];
  for (const host of [...loopback, "[::ffff:127.0.0.1]"]) {
    expect(isClearText(`http://${host}/api`), host).toBe(false);
    expect(isClearText(`ws://${host}/ws`), host).toBe(false);
  }
  const others = [
    "mesh.example.com",
    "192.168.1.5:7423",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "a.localhost",
  ];
  for (const host of [...others, "128.0.0.1", "[::2]", "[::ffff:8.8.8.8]", "0.0.0.0"]) {
    expect(isClearText(`http://${host}`), host).toBe(true);
    expect(isClearText(`ws://${host}`), host).toBe(true);
    expect(isClearText(`https://${host}`), host).toBe(false);
    expect(isClearText(`wss://${host}`), host).toBe(false);
  }
});

it("[TLS-15] the client makes no connection in clear text to another machine unless it is told to", async () => {
  let opened = 0;
  class Unopened {
    readonly readyState = 0;
    constructor() {
      opened += 1;
    }
    send(): void {}
    close(): void {}
    terminate(): void {}
    addEventListener(type: string, listener: (event: never) => void): void {
      // Reports that the socket closed immediately, as if it had never opened.
      if (type === "close") queueMicrotask(() => listener({ code: 1006, reason: "" } as never));
    }
  }
  const options = { url: "http://192.0.2.7:7423", WebSocket: Unopened };
  expect(() => connect(options)).toThrow(/192\.0\.2\.7.*anyone on the network/);
  expect(opened).toBe(0);
  const client = connect({ ...options, insecure: true });
  await client.close();
  expect(opened).toBe(1);
});
