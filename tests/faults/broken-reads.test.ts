import { connect } from "@merkle/wire/client";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { startTestBroker } from "../kit/test-broker.js";
import { createTestDatabase } from "../kit/test-database.js";
import { startPostgresProxy } from "./postgres-proxy.js";

it("[CLIENT-3] a page that could not be read is read again, although nobody posts meanwhile", async () => {
  const url = new URL(await createTestDatabase());
  const proxy = await startPostgresProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(proxy.stop);
  url.port = String(proxy.port);
  const broker = await startTestBroker({ databaseUrl: url.href });
  const client = connect({ url: broker.url, WebSocket });
  onTestFinished(() => client.close());
  const { session_id, team_id } = await client.call("create_session", {
    title: "Long",
    creator_team_name: "Atlas",
  });
  // The messages exceed the size of the broker's cache, so the first messages are read from the database.
  const text = "x".repeat(8 * 1024);
  const last = 80;
  for (let post = 0; post < last; post += 1) {
    await client.call("post_message", { session_id, team_id, content: { text } });
  }
  const cut = proxy.cut({ at: "byte", bytes: 20_000 });
  const read: number[] = [];
  await new Promise<void>((resolve, reject) => {
    client.follow({
      session: session_id,
      after: 0,
      onMessage({ sequence }) {
        read.push(sequence);
        if (sequence === last) resolve();
      },
      onError: reject,
    });
  });
  await cut;
  expect(broker.logged.join("\n")).toContain("reading a feed for a subscription failed");
  expect(read).toEqual(Array.from({ length: last }, (_, index) => index + 1));
});
