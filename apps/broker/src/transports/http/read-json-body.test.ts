import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { limits } from "@merkle/wire/limits";
import { expect, it } from "vitest";
import { createBodyReader } from "./read-json-body.js";

/** Creates a request whose body has not arrived yet. */
function startRequest(): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
  return request;
}

const quoted = (bytes: number) => Buffer.from(`"${"x".repeat(bytes - 2)}"`);

it("[GUARD-9] [LIMIT-1] bodiesBytesMax are held at once, of all bodies that are being read, and no byte more", async () => {
  expect(limits.bodiesBytesMax).toBeGreaterThan(10 * limits.httpBodyBytesMax);
  for (const [bytes, refused] of [
    [99, false],
    [100, false],
    [101, true],
  ] as const) {
    const bodies = createBodyReader(100);
    const slow = startRequest();
    const reading = bodies.readJson(slow);
    slow.push(Buffer.from('"1234'));
    await expect.poll(() => slow.readableLength).toBe(0);
    const other = startRequest();
    const answer = bodies.readJson(other);
    other.push(quoted(bytes - 5));
    other.push(null);
    if (refused)
      await expect(answer).rejects.toMatchObject({ code: "unavailable", details: { outcome: "none" } });
    else expect(await answer).toHaveLength(bytes - 7);
    // Bodies that have been read or refused no longer count towards the memory limit.
    slow.push(quoted(95).fill("x", 0, 1));
    slow.push(null);
    expect(await reading).toHaveLength(98);
  }
});

it("[GUARD-9] a body whose sender goes away is held no longer", async () => {
  const bodies = createBodyReader(100);
  const lost = startRequest();
  const reading = bodies.readJson(lost);
  lost.push(Buffer.from('"1234'));
  lost.destroy(new Error("reset"));
  await expect(reading).rejects.toThrow();
  const next = startRequest();
  next.push(quoted(100));
  next.push(null);
  expect(await bodies.readJson(next)).toHaveLength(98);
});
