import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { openHttpClient } from "../kit/http-client.js";
import { createTestSession, expectFailure, listTexts } from "../kit/session.js";
import { itOnOneBroker, startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
  cleanup(transport.close);
});

const paths = { wait: "wait", stream: "wait", check: "check", receipt: "check?receipt=none" };

/** Creates the team Birch with one unread message. Returns several ways of reading the message. */
async function startReading() {
  const session = await createTestSession(transport);
  const { credential } = await session.join("Birch");
  const birchs = { session_id: session.sessionId, team_id: credential };
  const { cursor } = await session.post(session.convener, "one");
  const base = `/api/sessions/${session.sessionId}/messages`;
  return {
    session,
    birchs,
    cursor,
    check: () => transport.call("check_messages", birchs),
    deliveredTo: async () =>
      (await transport.call("message_status", { session_id: birchs.session_id, message: cursor })).delivered,
    /** Reads once over a separate connection, which breaks while the reply is being sent. */
    async dieReading(how: "wait" | "check" | "receipt" | "stream" | "mcp") {
      const body = JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "check_messages", arguments: { session_id: session.sessionId } },
      });
      const { port } = new URL(broker.url);
      const socket = connect({ host: "127.0.0.1", port: Number(port) });
      const line = how === "mcp" ? "POST /mcp" : `GET ${base}/${paths[how]}`;
      const entity =
        how === "mcp" ? `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` : "";
      const accept = how === "stream" ? "Accept: text/event-stream\r\n" : "";
      socket.write(
        `${line} HTTP/1.1\r\nHost: localhost\r\nX-Team-ID: ${credential}\r\n${entity}${accept}\r\n${how === "mcp" ? body : ""}`,
      );
      let reply = "";
      while (!reply.includes("one")) reply += String((await once(socket, "data"))[0]);
      socket.destroy();
    },
    /** Returns a function that reads over one connection, optionally with a proxy's headers. */
    reader(headers: Record<string, string> = {}) {
      const client = openHttpClient();
      cleanup(async () => client.close());
      return async (query = "timeout=0") => {
        const sent = { headers: { "x-team-id": credential, ...headers } };
        return JSON.parse((await client.send(`${broker.url}${base}/wait?${query}`, sent)).text);
      };
    },
  };
}

it.each(["wait", "check", "stream", "mcp"] as const)(
  "[CURSOR-6] a client that dies with the reply of a %s in its buffer is offered it once more, marked, and until then it is not told as delivered",
  async (how) => {
    const { dieReading, check, deliveredTo, cursor } = await startReading();
    await dieReading(how);
    expect(await deliveredTo()).toBe(0);
    const again = await check();
    expect(listTexts(again.messages)).toEqual(["one"]);
    expect(again).toMatchObject({ again: cursor });
    expect(await deliveredTo()).toBe(0);
    expect(await check()).toMatchObject({ messages: [] });
    expect(await deliveredTo()).toBe(1);
  },
);

itOnOneBroker("behind a proxy no connection shows that a reply was read").each([
  { "x-forwarded-for": "127.0.0.1" },
  { via: "1.1 localhost" },
  { forwarded: "for=127.0.0.1" },
])(
  "[CURSOR-6] a later request on the same connection is evidence, but not of a proxy's: %o",
  async (headers) => {
    const one = await startReading();
    const direct = one.reader();
    expect(listTexts((await direct()).messages)).toEqual(["one"]);
    expect(await direct()).toMatchObject({ messages: [] });

    const other = await startReading();
    const proxied = other.reader(headers);
    expect(await proxied()).not.toHaveProperty("again");
    expect(await proxied()).toMatchObject({ again: other.cursor, messages: [{ content: { text: "one" } }] });
    expect(await proxied()).toMatchObject({ messages: [] });
  },
);

itOnOneBroker("behind a proxy no connection shows that a reply was read").each([
  { what: "the next request on the same connection", over: 0, headers: {}, comesAgain: false },
  { what: "no request on another connection", over: 1, headers: {}, comesAgain: true },
  { what: "no request through a proxy", over: 0, headers: { via: "1.1 localhost" }, comesAgain: true },
])(
  "[CURSOR-6] on a pool of connections the evidence is $what, whichever caller makes it",
  async ({ over, headers, comesAgain }) => {
    const { session, birchs, cursor } = await startReading();
    const pool = [openHttpClient(), openHttpClient()] as const;
    for (const client of pool) cleanup(async () => client.close());
    const url = `${broker.url}/api/sessions/${session.sessionId}`;
    const check = async (client: (typeof pool)[number]) => {
      const answer = await client.send(`${url}/messages/check`, { headers: { "x-team-id": birchs.team_id } });
      return JSON.parse(answer.text);
    };
    expect(listTexts((await check(pool[0])).messages)).toEqual(["one"]);
    await pool[over === 0 ? 0 : 1].send(url, { headers: { "x-team-id": session.convener, ...headers } });
    const next = await check(pool[1]);
    expect(listTexts(next.messages)).toEqual(comesAgain ? ["one"] : []);
    expect(next.again).toBe(comesAgain ? cursor : undefined);
  },
);

it("[CURSOR-6] when both replies that bring a message are lost, a caller that names nothing misses it, and one with since_cursor does not", async () => {
  const { dieReading, check, birchs, cursor } = await startReading();
  await dieReading("wait");
  await dieReading("check");
  expect(await check()).toMatchObject({ messages: [] });
  const exact = await transport.call("wait_for_messages", {
    ...birchs,
    since_cursor: cursor - 1,
    timeout: 0,
  });
  expect(listTexts(exact.messages)).toEqual(["one"]);
});

it("[CURSOR-6] what is only brought again ends no wait: a loop without evidence makes no second round", async () => {
  const { session, reader, cursor } = await startReading();
  await reader()();
  const wait = reader()("timeout=30");
  await expect
    .poll(async () => {
      const { participants } = await transport.call("list_participants", { session_id: session.sessionId });
      return participants[1]?.polling;
    })
    .toBe(true);
  await session.post(session.convener, "two");
  const page = await wait;
  expect(listTexts(page.messages)).toEqual(["one", "two"]);
  expect(page).toMatchObject({ again: cursor });
});

it("[CURSOR-6] a receipt acknowledges exactly what its reply brought, however often calls die in between", async () => {
  const { session, birchs, check, deliveredTo, dieReading } = await startReading();
  const byReceipt = (receipt: string) => transport.call("check_messages", { ...birchs, receipt });
  for (const _ of [1, 2, 3]) await dieReading("receipt");
  const { receipt = "", messages } = await byReceipt("none");
  expect(listTexts(messages)).toEqual(["one"]);
  expect(await deliveredTo()).toBe(0);
  expect(await byReceipt(receipt)).toMatchObject({ messages: [] });
  expect(await deliveredTo()).toBe(1);
  const wrong = ["1", receipt.replace(/^\d+/, "999"), receipt.replace(/\.[^.]+\./, `.${"0".repeat(36)}.`)];
  for (const each of wrong)
    expect(await expectFailure(byReceipt(each))).toMatchObject({ code: "bad_request" });
  const both = transport.call("wait_for_messages", { ...birchs, receipt, since_cursor: 0 });
  expect(await expectFailure(both)).toMatchObject({ code: "bad_request" });
  const stale = receipt.replace(/[^.]+$/, "00000000-0000-4000-8000-000000000000");
  expect(await expectFailure(byReceipt(stale))).toMatchObject({ code: "resync" });
  await session.post(session.convener, "two");
  expect(listTexts((await check()).messages)).toEqual(["two"]);
});

it("[CURSOR-6] in compact text what comes again says so before it", async () => {
  const { dieReading, birchs } = await startReading();
  await dieReading("mcp");
  const response = await fetch(`${broker.url}/mcp?view=compact`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "*/*" },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "check_messages", arguments: birchs },
    }),
  });
  const { result } = Object(await response.json());
  expect(result.content[0].text).toContain("(again) #2 Atlas: one");
  expect(result.content[0].text).not.toContain("receipt");
});
