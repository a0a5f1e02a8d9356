import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { expect, it, onTestFinished } from "vitest";
import { createTestSession, listTexts } from "../kit/session.js";
import { startOneBroker } from "../kit/test-broker.js";
import { createTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
}

/** Starts a stand-in for an OpenTelemetry collector that stores the spans it receives. */
async function startCollector() {
  const spans: Span[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    bodies.push(body);
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${Object(server.address()).port}/v1/traces`, spans, bodies };
}

const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("@opentelemetry/sdk-trace"));

it("[TRACE-1] a message's way over two nodes is one trace, with the session told by a hash; without an address nothing of the SDK is loaded", async () => {
  const plain = await startOneBroker({}, onTestFinished);
  await createTestSession(await brokerTransports.rest(plain.url));
  expect(isLoaded()).toBe(false);

  const collector = await startCollector();
  const databaseUrl = await createTestDatabase();
  const options = { databaseUrl, bus: "postgres", tracesUrl: collector.url };
  const a = await startOneBroker(options, onTestFinished);
  const b = await startOneBroker(options, onTestFinished);
  expect(isLoaded()).toBe(true);
  const session = await createTestSession(await brokerTransports.rest(a.url));
  const birch = await session.join("Birch");
  const there = await brokerTransports.rest(b.url);
  const { sessionId: session_id } = session;
  const waiting = there.call("wait_for_messages", {
    ...{ session_id, team_id: birch.credential, since_cursor: birch.cursor },
  });
  await session.post(session.convener, "the text of it");
  const { messages } = await waiting;
  expect(listTexts(messages)).toEqual(["the text of it"]);
  await a.stop();
  await b.stop();

  const traceId = messages[0]?.id.replaceAll("-", "");
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  expect(spans.map(({ name }) => name).sort()).toEqual(["commit", "deliver", "hint", "post"]);
  const first = spans.find(({ name }) => name === "post");
  expect(first?.parentSpanId ?? "").toBe("");
  for (const span of spans) if (span !== first) expect(span.parentSpanId, span.name).toBe(first?.spanId);
  const valuesOf = (key: string) =>
    new Set(
      spans
        .flatMap(({ attributes }) => attributes.filter((each) => each.key === key))
        .map(({ value }) => value.stringValue),
    );
  expect(valuesOf("merkle.session").size).toBe(1);
  expect(valuesOf("merkle.node").size, "one node took it, the other gave it on").toBe(2);
  expect(collector.bodies.join()).not.toContain(session_id);
  expect(collector.bodies.join()).not.toContain("the text of it");
});
