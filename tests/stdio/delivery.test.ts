import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makeAgentHome } from "../kit/stdio.js";
import { itOnOneBroker, startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type Correspondent, startAgent, startSession } from "./agents.js";

const cleanup = createCleanup();
let shared: TestBroker;
beforeAll(async () => {
  shared = await startTestBroker({}, cleanup);
});

async function startConversation(broker = shared) {
  const alder = await startSession(broker);
  const home = await makeAgentHome();
  const birch = await startAgent(broker, alder, { home });
  return { alder, birch, home };
}

async function isPolling(alder: Correspondent): Promise<unknown> {
  return (await alder.findRosterEntry("Birch"))["polling"];
}

describe("wait_for_messages over stdio", () => {
  it("[STDIO-5] brings each message once, in order, and the roster shows the wait that blocks", async () => {
    const { alder, birch } = await startConversation();
    const wait = birch.call("wait_for_messages");
    await expect.poll(() => isPolling(alder)).toBe(true);
    await alder.post("one");
    expect(await wait).toBe("#2 Alder: one");
    await expect.poll(() => isPolling(alder)).toBe(false);

    const heard: string[] = [];
    for (let number = 2; number <= 30; number += 1) await alder.post(String(number));
    while (heard.length < 29) heard.push(...(await birch.call("wait_for_messages")).split("\n"));
    expect(heard).toEqual(Array.from({ length: 29 }, (_, i) => `#${i + 3} Alder: ${i + 2}`));
    expect(await birch.call("wait_for_messages", { timeout: 0 })).toBe("nothing new");
    await expect.poll(() => alder.findRosterEntry("Birch")).toMatchObject({ last_read: 31, connections: 1 });
  });

  it("[DELIVER-4] a team that joins among few ends a wait that blocks", async () => {
    const { alder, birch } = await startConversation();
    const wait = birch.call("wait_for_messages");
    await expect.poll(() => isPolling(alder)).toBe(true);
    await fetch(`${shared.url}/api/sessions/${alder.slug}/join`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ team_name: "Cedar" }),
    });
    expect(await wait).toBe("#2 * team_joined, team Cedar");
  });

  it("[STDIO-5] acknowledges when the next wait begins, and not before", async () => {
    const { alder, birch } = await startConversation();
    await alder.post("one");
    expect(await birch.call("wait_for_messages")).toBe("#2 Alder: one");
    expect(await alder.findRosterEntry("Birch")).toMatchObject({ last_read: 1 });
    await birch.call("wait_for_messages", { timeout: 0 });
    await expect.poll(() => alder.findRosterEntry("Birch")).toMatchObject({ last_read: 2 });
  });

  it("[STDIO-5] what could not be acknowledged while the broker was away is acknowledged when it is back", async () => {
    const broker = await startTestBroker();
    const { alder, birch } = await startConversation(broker);
    await alder.post("one");
    expect(await birch.call("wait_for_messages")).toBe("#2 Alder: one");
    await broker.restartAfter(async () => {
      await birch.call("wait_for_messages", { timeout: 0 });
    });
    await expect.poll(async () => (await alder.findRosterEntry("Birch"))["last_read"]).toBe(2);
  });

  it("[STDIO-5] [WAKE-4] what was pushed to a server that was killed comes to the next, and what it handed out is said to come again", async () => {
    const { alder, birch, home } = await startConversation();
    await alder.post("one");
    expect(await birch.call("wait_for_messages")).toBe("#2 Alder: one");
    await alder.post("two");
    birch.process.kill("SIGKILL");
    await birch.ended;

    const next = await startAgent(shared, alder, { home });
    // The first message was never acknowledged, so it is delivered again (at least once).
    expect(await next.call("wait_for_messages")).toBe(
      "(again) you may have seen already: #2\n#2 Alder: one\n#3 Alder: two",
    );
    expect(await alder.findRosterEntry("Birch (2)")).toEqual({});
  });

  it("[STDIO-6] a cancelled wait has no answer, ends at the broker and takes nothing with it", async () => {
    const { alder, birch } = await startConversation();
    const { id, answer } = birch.begin("tools/call", { name: "wait_for_messages", arguments: {} });
    await expect.poll(() => isPolling(alder)).toBe(true);
    birch.notify("notifications/cancelled", { requestId: id });
    await expect.poll(() => isPolling(alder)).toBe(false);
    await alder.post("after");
    expect(await birch.call("wait_for_messages")).toBe("#2 Alder: after");
    expect(await Promise.race([answer, "none"])).toBe("none");
  });

  it("[STDIO-5] several waits at once share the messages, and a fifth answers the oldest", async () => {
    const { alder, birch } = await startConversation();
    const wait = () => birch.call("wait_for_messages");
    // The broker may register the four concurrent waits in any order.
    const waits = [wait(), wait(), wait(), wait()];
    await expect.poll(() => isPolling(alder)).toBe(true);
    const fifth = wait();
    expect(await Promise.race([...waits, fifth])).toBe("nothing new");
    for (const text of ["one", "two", "three", "four"]) await alder.post(text);
    const rest = birch.call("wait_for_messages", { timeout: 0 });
    const heard = (await Promise.all([...waits, fifth, rest])).flatMap((text) => text.split("\n"));
    expect(heard.filter((line) => line !== "nothing new").sort()).toEqual([
      "#2 Alder: one",
      "#3 Alder: two",
      "#4 Alder: three",
      "#5 Alder: four",
    ]);
  });

  it("[WAIT-3] [SEAL-8] session_closed comes with the last messages, and a closed session never blocks", async () => {
    const { alder, birch } = await startConversation();
    await alder.post("last");
    await alder.ask("POST", "/conclude", { summary_section: "Done." });
    let heard = await birch.call("wait_for_messages");
    if (!heard.includes("session_concluded")) heard += `\n${await birch.call("wait_for_messages")}`;
    expect(heard).toMatch(
      /^#2 Alder: last\n#3 \* session_concluded, by Alder, document_version 1, sealed 2 messages, root \w{4}…\w{4}\ndocument v1\nsession closed$/,
    );
    expect(await birch.call("wait_for_messages")).toBe("session closed\nnothing new");
  });

  it("[WAIT-7] the document's version comes with messages that were pushed, and one's own writing is no news", async () => {
    const { alder, birch } = await startConversation();
    await birch.call("append_to_session_doc", { text: "mine" });
    await alder.post("one");
    expect(await birch.call("wait_for_messages")).toBe("#2 Alder: one");
    await alder.ask("POST", "/doc/append", { text: "Alder's" });
    await alder.post("two");
    expect(await birch.call("wait_for_messages")).toBe("#3 Alder: two\ndocument v2");
    expect(await birch.call("wait_for_messages", { timeout: 0 })).toBe("nothing new");
  });

  it("[WAIT-9] a page of a model ends at 20,000 characters and says what remains", async () => {
    const { alder, birch } = await startConversation();
    const text = "x".repeat(6_000);
    for (let i = 1; i <= 8; i += 1) await alder.post(text);
    const pages: string[] = [];
    let seen = 0;
    while (seen < 8) {
      const page = await birch.call("wait_for_messages");
      expect(page.length).toBeLessThan(20_100);
      pages.push(page);
      seen += page.match(/^#\d+ Alder: x/gm)?.length ?? 0;
    }
    expect(pages.join("\n")).toMatch(/^\d more: call again$/m);
  });

  it("[STDIO-3] a cursor or an epoch is refused: the server keeps the place", async () => {
    const { birch } = await startConversation();
    for (const field of ["since_cursor", "epoch"]) {
      expect(await birch.call("wait_for_messages", { [field]: 1 })).toBe(
        `bad_request: Leave out ${field}: this server remembers what you have read.\noperation wait_for_messages`,
      );
    }
  });

  it("[WAIT-2] with include_own one's own messages come, too, and nothing is handed out again", async () => {
    const { alder, birch } = await startConversation();
    await birch.call("post_message", { content: { text: "mine" } });
    await alder.post("theirs");
    expect(await birch.call("wait_for_messages", { include_own: true })).toBe(
      "#2 Birch: mine\n#3 Alder: theirs",
    );
    expect(await birch.call("wait_for_messages", { timeout: 0 })).toBe("nothing new");
  });

  it("[CURSOR-7] what is acknowledged by ack does not come", async () => {
    const { alder, birch } = await startConversation();
    await alder.post("one");
    await birch.call("get_history");
    expect(await birch.call("ack", { cursor: 2 })).toBe("read up to 2");
    expect(await birch.call("wait_for_messages", { timeout: 0 })).toBe("nothing new");
  });
});

describe("two agents over stdio", () => {
  itOnOneBroker("each node counts what it was asked itself")(
    "[STDIO-5] converse without polling: no request is made while nobody speaks",
    async () => {
      // Uses a separate broker, because requests from other tests would be counted too.
      const broker = await startTestBroker();
      const { alder, birch } = await startConversation(broker);
      const cedar = await startAgent(broker, alder, { team: "Cedar" });
      expect(await birch.call("wait_for_messages")).toBe("#2 * team_joined, team Cedar");
      const waits = [birch.call("wait_for_messages"), cedar.call("wait_for_messages")];
      await expect.poll(async () => (await alder.findRosterEntry("Cedar"))["polling"]).toBe(true);
      await expect.poll(() => isPolling(alder)).toBe(true);

      // Waits until the delayed acknowledgements of earlier messages have been sent.
      await expect.poll(() => requestsWithin(broker.url, 300)).toBe(0);
      const before = await countRequests(broker.url);
      expect(await requestsWithin(broker.url, 1_500)).toBe(0);

      await birch.call("post_message", { content: { text: "ping" } });
      expect(await waits[1]).toBe("#3 Birch: ping");
      await cedar.call("post_message", { content: { text: "pong" } });
      expect(await waits[0]).toBe("#4 Cedar: pong");
      // Allows four requests: two posts, and two waits that ended.
      expect((await countRequests(broker.url)) - before).toBeLessThanOrEqual(4);
    },
  );

  it("[STDIO-10] a chat message costs at most 25 bytes beyond its text and sender, an empty wait at most 40", async () => {
    const { alder, birch } = await startConversation();
    await alder.post("a question");
    const heard = await birch.call("wait_for_messages");
    expect(heard.length - "a question".length - "Alder".length).toBeLessThanOrEqual(25);
    expect((await birch.call("wait_for_messages", { timeout: 0.01 })).length).toBeLessThanOrEqual(40);
  });
});

async function requestsWithin(url: string, ms: number): Promise<number> {
  const before = await countRequests(url);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return (await countRequests(url)) - before;
}

/** Returns the total number of requests that the broker has counted. */
async function countRequests(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.split("\n").filter((line) => line.startsWith("merkle_requests_total{"));
  return counts.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
