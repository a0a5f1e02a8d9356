import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Message } from "@merkle/wire";
import { drawSeed } from "@merkle/wire/identity";
import { makeKeyCard } from "@merkle/wire/keys";
import postgres from "postgres";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { hasTerminal, startAtTerminal } from "../../apps/cli/src/test-kit/terminal.js";
import { createCleanup } from "../kit/cleanup.js";
import { type EvilBroker, startEvilBroker } from "../kit/evil-broker.js";
import { makeAgentHome, type StdioServer, startStdioServer } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type Correspondent, startSession } from "./agents.js";

const program = inject("program");
const secret = "the staging key is violet-Ω-11";

let broker: TestBroker;
let evil: EvilBroker;
let session: Correspondent;
let alex: StdioServer;
let birch: StdioServer;
let alexHome: string;
let birchHome: string;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  evil = await startEvilBroker(broker.url, cleanup);
  session = await startSession(broker);
  alexHome = await makeAgentHome(cleanup);
  birchHome = await makeAgentHome(cleanup);
  [alex, birch] = await Promise.all([
    startStdioServer({ url: evil.url, home: alexHome }, cleanup),
    startStdioServer({ url: evil.url, home: birchHome }, cleanup),
  ]);
  await alex.call("join_session", { session_id: session.slug, team_name: "Alex", peer_name: "atlas" });
  await birch.call("join_session", { session_id: session.slug, team_name: "Birch", peer_name: "oak" });
});

afterEach(() => {
  Object.assign(evil.tampering, { message: undefined, peer: undefined });
});

async function cards(): Promise<Record<string, unknown>> {
  const peers = [...(await session.listPeers("Alex")), ...(await session.listPeers("Birch"))];
  return Object.fromEntries(peers.map((peer) => [String(peer["name"]), peer["key_card"]]));
}

function tell(message: string, more: object = {}): Promise<string> {
  return alex.call("send_message", { to: "Birch/oak", message, private: true, ...more });
}

function hear(): Promise<string> {
  return birch.call("wait_for_messages", { timeout: 30 });
}

describe("A private message", () => {
  it("[SEALED-2] [SEALED-3] is read by the peer that it is for, and by nobody else, the broker included", async () => {
    expect(await cards()).toMatchObject({ atlas: { box_key: expect.any(String) }, oak: {} });
    expect(await tell(secret)).toMatch(/^#\d+ posted/);
    expect(await hear()).toMatch(new RegExp(`^#\\d+ Alex/atlas to Birch/oak private: ${secret}`));

    const { messages } = await session.ask<{ messages: Message[] }>("GET", "/messages?types=chat");
    const stub = messages.at(-1);
    expect(stub).toMatchObject({ from: { team: "Alex", peer: "atlas" }, to: ["Birch/oak"], type: "chat" });
    expect(stub?.content).toEqual({ private: true, bytes: expect.any(Number) });
    expect(await alex.call("get_history", {})).toMatch(
      /Alex\/atlas to Birch\/oak private \(\d+ bytes, sealed\)/,
    );
    expect(await birch.call("get_history", {})).toContain(`private: ${secret}`);

    const sql = postgres(broker.databaseUrl, { max: 1 });
    const rows = await sql`SELECT content FROM messages WHERE session_id = ${session.sessionId}`;
    await sql.end();
    const stored = rows.map(({ content }) => String(content)).find((content) => content.includes("mks1."));
    expect(stored).toMatch(/^\{"private":true,"sealed":"mks1\./);
    for (const told of [...rows.map(String), ...evil.heard, ...broker.logged, stored ?? ""]) {
      expect(told).not.toMatch(/violet|staging key/);
    }
    const found = await fetch(new URL("/api/search?q=violet", broker.url));
    expect(JSON.stringify(await found.json())).not.toContain(session.slug);
    const filtered = await session.ask<{ messages: Message[] }>("GET", "/messages?q=mks1");
    expect(filtered.messages).toEqual([]);
  });

  it("[SEALED-4] of several at once, each opens", async () => {
    const texts = Array.from({ length: 6 }, (_, index) => `burst ${index}`);
    await Promise.all(texts.map((text) => tell(text)));
    let shown = "";
    await expect
      .poll(async () => {
        shown += await birch.call("check_messages");
        return shown.match(/private: burst \d/g)?.length;
      })
      .toBe(6);
    expect(shown).not.toContain("not opened");
  });

  it("[SEALED-3] is a stub for whoever follows the feed", async () => {
    await tell("for a follower to see nothing of");
    await hear();
    const { connect } = await import("@merkle/wire/client");
    const { WebSocket } = await import("ws");
    const client = connect({ url: broker.url, WebSocket: WebSocket as never });
    const followed: Message[] = [];
    const follow = client.follow({
      session: session.slug,
      after: 0,
      onMessage: (each) => followed.push(each),
    });
    await follow.ready;
    await expect.poll(() => followed.filter(({ content }) => content["private"] === true).length).toBe(8);
    await client.close();
    expect(JSON.stringify(followed)).not.toContain("mks1");
  });

  it("[SEALED-2] goes to exactly one peer that shows its keys", async () => {
    expect(await tell("x", { to: "*" })).toMatch(/exactly one recipient/);
    expect(await tell("x", { to: ["Birch/oak", "Alder"] })).toMatch(/exactly one recipient/);
    expect(await tell("x", { to: "nobody" })).toMatch(/no "nobody" in this session.*Birch\/oak/);
    expect(await tell("x", { to: "Alder" })).toMatch(/Alder has no keys/);
    const heard = evil.heard.length;
    expect(await tell("y".repeat(60_000))).toMatch(/KiB of text/);
    expect(evil.heard.slice(heard).join()).not.toContain("send_message");
  });

  it("[SEALED-2] is refused as plain text, which the broker would have read", async () => {
    const url = new URL(`/api/sessions/${session.slug}/messages/send`, broker.url);
    const headers = { "content-type": "application/json", "x-team-id": session.credential };
    const body = JSON.stringify({ to: "Birch/oak", message: secret, private: true });
    const refused = await fetch(url, { method: "POST", headers, body });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(await refused.json())).toMatch(/must be encrypted.*nothing was posted.*merkle mcp/);
  });

  it("[SEALED-2] [SEALED-3] sealed elsewhere, it goes to one peer, and its sender gets it back as it was", async () => {
    const sealed = `mks1.${"c".repeat(300)}.${"n".repeat(32)}.${"b".repeat(400)}`;
    const send = (to: string) =>
      session.ask("POST", "/messages/send", { to, message: sealed, private: true });
    const { cursor } = await send("Birch/oak");
    await expect(send("@humans")).rejects.toThrow(/exactly one recipient/);
    const { messages } = await session.ask<{ messages: Message[] }>("GET", "/messages");
    expect(messages.find(({ sequence }) => sequence === cursor)?.content).toEqual({ private: true, sealed });
    expect(await hear()).toMatch(/not opened: it is damaged/);
  });

  it("[SEALED-7] its keys stay on this machine, for this user alone", async () => {
    const files = (await Promise.all(["sealed", "pins"].map(listIn))).flat();
    expect(files).toHaveLength(2);
    for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [state = ""] = files;
    const { seed } = JSON.parse(await readFile(state, "utf8"));
    expect(evil.heard.join()).not.toContain(seed);
  });
});

/** Changes one character of an encrypted box. */
function changed(sealed: string): string {
  return sealed.replace(/.(?=.{9}$)/, (char) => (char === "A" ? "B" : "A"));
}

async function listIn(folder: string): Promise<string[]> {
  return (await readdir(join(birchHome, folder))).map((name) => join(birchHome, folder, name));
}

describe("An evil broker", () => {
  let sealed: unknown;

  it("[SEALED-5] shows a message again, or in the place of another: it is refused, and said to be", async () => {
    evil.tampering.message = (message) => {
      sealed ??= message.content["sealed"];
      return message;
    };
    await tell("once");
    expect(await hear()).toContain("private: once");
    expect(sealed).toMatch(/^mks1\./);
    const from = { team: "Alex", peer: "atlas", human: false };
    const attempts: [string, (message: Message) => Message, RegExp][] = [
      [
        "as a new message",
        (each) => ({ ...each, from, content: { private: true, sealed } }),
        /as another message/,
      ],
      [
        "as another's",
        (each) => ({ ...each, from: { team: "Alder", human: false }, content: { private: true, sealed } }),
        /not encrypted by its sender Alder/,
      ],
      [
        "in another session",
        (each) => ({ ...each, session_id: broker.url, content: { private: true, sealed } }),
        /another session/,
      ],
      [
        "changed",
        (each) => ({ ...each, from, content: { private: true, sealed: changed(String(sealed)) } }),
        /changed in transit/,
      ],
      [
        "unsealed",
        (each) => ({ ...each, content: { private: true, text: "do as I say", problem: "do as I say" } }),
        /private \(sealed\)/,
      ],
    ];
    for (const [name, message, reason] of attempts) {
      evil.tampering.message = (each) => (each.content["text"] === "bait" ? message(each) : each);
      await session.post("bait", { to: "Birch/oak" });
      const shown = await hear();
      expect(shown, name).toMatch(reason);
      expect(shown, name).not.toMatch(/once|do as I say/);
    }
  });

  it("[SEALED-5] gives messages at another time, or in another order: they are refused", async () => {
    const day = 86_400_000;
    evil.tampering.message = (each) => ({
      ...each,
      posted_at: new Date(Date.parse(each.posted_at) + day).toISOString(),
    });
    await tell("late");
    expect(await hear()).toMatch(/not opened: it was encrypted at .*, which is a different time/);

    const kept: Message[] = [];
    evil.tampering.message = (each) => {
      if (each.content["sealed"] === undefined) return each;
      if (!kept.some(({ id }) => id === each.id)) kept.push(each);
      const [first, second] = kept;
      // Swaps the two messages' ids and content, but not their sequences.
      if (!first || !second) return { ...each, type: "system", content: {}, event: "state_changed" };
      const { id, content } = each.id === first.id ? second : first;
      return { ...each, id, content };
    };
    await tell("first of two");
    await expect.poll(() => kept.length).toBe(1);
    await tell("second of two");
    expect(await hear()).toMatch(/first of two/);
    evil.tampering.message = undefined;
    expect(await birch.call("get_history", {})).toMatch(/out of order/);
  });

  it("[SEALED-6] swaps keys: nothing is sent, and everything else that it heard says nothing", async () => {
    const other = makeKeyCard(drawSeed());
    const swaps: [string, (card: object) => object][] = [
      ["all keys", () => other],
      ["the box key", (card) => ({ ...card, box_key: other.box_key })],
      [
        "the box key with its signature",
        (card) => ({ ...card, box_key: other.box_key, box_key_signature: other.box_key_signature }),
      ],
    ];
    for (const [name, swap] of swaps) {
      evil.tampering.peer = (peer) =>
        peer["name"] === "oak" ? { ...peer, key_card: swap(Object(peer["key_card"])) } : peer;
      const heard = evil.heard.length;
      const answer = await tell(`${secret} again`);
      expect(answer, name).toMatch(/key_changed/);
      expect(answer, name).toMatch(/merkle verify-peer Birch\/oak --session/);
      expect(evil.heard.slice(heard).join(), name).not.toContain("send_message");
    }
    expect(evil.heard.join()).not.toMatch(/violet|first of two|once|late/);
  });
});

describe("merkle verify-peer", () => {
  it("[SEALED-8] shows both sides one number; a changed key is accepted by a person at a terminal, and by nobody else", {
    tags: "long",
  }, async () => {
    expect(await tell("to meet")).toMatch(/^#\d+ posted/);
    const [alexSees, birchSees] = await Promise.all([
      verify(alexHome, "Birch/oak", "--json").then(({ stdout }) => JSON.parse(stdout)),
      verify(birchHome, "alex", "--json").then(({ stdout }) => JSON.parse(stdout)),
    ]);
    expect(alexSees).toMatchObject({ peer: "Birch/oak", key: "seen", numbers: [{ you: "Alex/atlas" }] });
    expect(alexSees.numbers[0].number).toBe(birchSees.numbers[0].number);

    await replaceBirchKeys();
    expect(await tell("to whom")).toMatch(/key_changed/);
    const [changed, unasked] = await Promise.all([
      verify(alexHome, "oak"),
      verify(alexHome, "Birch/oak", "--accept"),
    ]);
    expect(changed.code).toBe(6);
    expect(changed.stdout).toMatch(
      /the key has changed since .*: private messages to Birch\/oak are refused/,
    );
    expect(changed.stdout).toMatch(/(?: {2}\d{5} \d{5} \d{5} \d{5}\n){3}/);
    expect(changed.stdout).toContain(`merkle verify-peer Birch/oak --session ${session.slug} --accept`);
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringMatching(/needs a person/) });
    if (!hasTerminal) return;
    const terminal = startAtTerminal(
      { home: alexHome },
      ["verify-peer", "oak", "--session", session.slug, "--accept"],
      { MERKLE_URL: broker.url },
    );
    await terminal.waitForScreen("see the same number?");
    terminal.type("y\r");
    expect(await terminal.ended).toMatchObject({ code: 0 });
    expect(await tell("to the new key")).toMatch(/^#\d+ posted/);
    expect(await birch.call("check_messages", {})).toMatch(/encrypted for a key that is not this peer's/);
  });
});

/**
 * Replaces Birch's keys, as happens when Birch is launched on another machine with the credential but without the keys.
 */
async function replaceBirchKeys(): Promise<void> {
  const [peer] = await session.listPeers("Birch");
  const held = JSON.parse(await readFile(join(birchHome, "teams", `${peer?.["peer_id"]}.json`), "utf8"));
  const key_card = makeKeyCard(drawSeed());
  const session_key = Buffer.from(key_card.session_key, "base64url").toString("base64");
  await session.ask("POST", "/join", { team_name: "Birch", team_id: held.credential, session_key, key_card });
}

async function verify(home: string, ...args: string[]) {
  const child = spawn(process.execPath, [program, "verify-peer", ...args, "--session", session.slug], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, MERKLE_HOME: home, MERKLE_URL: broker.url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}
