import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyCard, Message } from "@merkle/wire";
import { certifySessionKey, drawSeed } from "@merkle/wire/identity";
import { deriveBoxKey, deriveSigningKey, makeKeyCard, type SealedHeader, seal } from "@merkle/wire/keys";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { checkCard, computeSafetyNumber } from "./check-card.js";
import { openMessage, type Reader } from "./open-message.js";
import { openPeerKeys } from "./peer-keys.js";
import { isTrusted, savePin } from "./pins.js";

const sessionId = "5e551000-0000-4000-8000-000000000001";
const posted = "2026-11-22T12:00:00.000Z";
const senderSeed = drawSeed();
const memberSeed = drawSeed();

let home: string;
let reader: Reader;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "merkle-sealed-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const keys = openPeerKeys(home, "birch", undefined);
  keys.setPeerId("peer-birch");
  reader = { home, keys, sessionId, address: "Birch/oak", epoch: "e" };
});

interface MadeMessage {
  readonly header?: Partial<SealedHeader>;
  readonly message?: Partial<Message>;
  readonly card?: KeyCard;
  readonly text?: string;
}

/** Builds a message from Alex to Birch as it would be in the feed, with the given fields changed. */
function make({
  header = {},
  message = {},
  card = makeKeyCard(senderSeed),
  text = "hello\nBirch",
}: MadeMessage = {}) {
  const from = { peer_id: "peer-alex", address: "Alex/atlas", session_key: card.session_key };
  const to = { peer_id: "peer-birch", address: "Birch/oak", session_key: reader.keys.sessionKey };
  const whole: SealedHeader = {
    version: 2,
    session_id: sessionId,
    message_id: "m1",
    from,
    to,
    counter: 1,
    time: posted,
    human: false,
    priority: "next",
    reply_to: null,
    ...header,
  };
  const keys = { card, own: deriveBoxKey(senderSeed), theirs: deriveBoxKey(reader.keys.seed).publicKey };
  const made: Message = {
    id: "m1",
    session_id: sessionId,
    sequence: 1,
    type: "chat",
    posted_by_team_id: null,
    from: { team: "Alex", peer: "atlas", human: false },
    to: ["Birch/oak"],
    priority: "next",
    content: { private: true, sealed: seal({ header: whole, text }, keys) },
    posted_at: posted,
    ...message,
  };
  return made;
}

function open(made?: MadeMessage): Message["content"] {
  return openMessage(make(made), reader).content;
}

it("[SEALED-4] opens what was sealed for this place, as often as it comes", () => {
  const message = make();
  for (const _ of [1, 2]) {
    expect(openMessage(message, reader).content).toEqual({ private: true, text: "hello\nBirch" });
  }
  expect(
    open({ header: { message_id: "m2", counter: 2 }, message: { id: "m2", sequence: 5 } }),
  ).toHaveProperty("text");
  expect(
    open({ header: { message_id: "m9", counter: 9 }, message: { id: "m9", sequence: 9 } }),
  ).toHaveProperty("text");
});

it.each<[string, () => MadeMessage, RegExp]>([
  [
    "for another peer of the same key",
    () => ({ header: { to: { peer_id: "peer-elm", address: "Elm", session_key: reader.keys.sessionKey } } }),
    /another recipient/,
  ],
  [
    "for another key",
    () => ({ header: { to: { peer_id: "peer-birch", address: "Birch/oak", session_key: "A".repeat(43) } } }),
    /another recipient/,
  ],
  ["for another session", () => ({ header: { session_id: "another" } }), /another session/],
  [
    "by another sender",
    () => ({
      header: {
        from: { peer_id: "p", address: "Mallory", session_key: makeKeyCard(senderSeed).session_key },
      },
    }),
    /not encrypted by its sender/,
  ],
  ["with a card that is another's", () => ({ card: makeKeyCard(drawSeed()) }), /changed in transit/],
  [
    "with a box key that its session key never signed",
    () => ({
      card: { ...makeKeyCard(senderSeed), box_key_signature: makeKeyCard(drawSeed()).box_key_signature },
    }),
    /its keys do not match/,
  ],
  ["as another message", () => ({ header: { message_id: "m2" } }), /another message/],
  ["too early", () => ({ header: { time: "2026-11-22T11:44:59.999Z" } }), /a different time/],
  ["too late", () => ({ header: { time: "2026-11-22T12:15:00.001Z" } }), /a different time/],
  [
    "with more than a header has",
    () => ({ header: Object.assign({ counter: 1 }, { more: 1 }) }),
    /its header is not valid/,
  ],
  [
    "by an agent, shown as a person's",
    () => ({ message: { from: { team: "Alex", peer: "atlas", human: true } } }),
    /by an agent/,
  ],
  ["by a person, shown as an agent's", () => ({ header: { human: true } }), /by a person/],
  ["as a reply to another message", () => ({ message: { reply_to: 9 } }), /reply to another/],
  ["as a reply, shown as none", () => ({ header: { reply_to: 9 } }), /reply to another/],
  ["with another priority", () => ({ message: { priority: "now" } }), /another priority/],
  ["for one, shown as for two", () => ({ message: { to: ["Birch/oak", "Cedar"] } }), /only for/],
  ["for one, shown as for another", () => ({ message: { to: ["Cedar"] } }), /only for/],
])("[SEALED-5] refuses what was sealed %s", (_name, made, reason) => {
  expect(open(made())).toEqual({
    private: true,
    bytes: expect.any(Number),
    problem: expect.stringMatching(reason),
  });
});

it("[SEALED-4] refuses a header of version 1, and one that is neither version", () => {
  // A field set to `undefined` is removed.
  const first = { version: undefined, human: undefined, priority: undefined, reply_to: undefined };
  expect(open({ header: { counter: 1, ...(first as object) } })).toEqual({
    private: true,
    bytes: expect.any(Number),
    problem: expect.stringContaining("earlier version of Merkle"),
  });
  for (const name of ["version", "human", "priority", "reply_to"] as const) {
    const header = Object.assign({ counter: 1 }, { [name]: undefined });
    expect(open({ header })).toHaveProperty("problem");
  }
});

it("[SEALED-5] refuses what comes twice, or out of order, also after this process has ended", () => {
  expect(
    open({ header: { message_id: "m5", counter: 5 }, message: { id: "m5", sequence: 50 } }),
  ).toHaveProperty("text");
  const keys = openPeerKeys(home, "birch", undefined);
  const refused: MadeMessage[] = [
    { header: { message_id: "m5", counter: 5 }, message: { id: "m5", sequence: 51 } },
    { header: { message_id: "m6", counter: 5 }, message: { id: "m6", sequence: 51 } },
    { header: { message_id: "m4", counter: 4 }, message: { id: "m4", sequence: 51 } },
    { header: { message_id: "m7", counter: 7 }, message: { id: "m7", sequence: 49 } },
  ];
  for (const each of refused) {
    expect(openMessage(make(each), { ...reader, keys }).content["problem"]).toMatch(/out of order/);
  }
  // A restored database continues with lower sequences, but never contains the same message at two positions.
  const restored = { ...reader, keys, epoch: "restored" };
  expect(openMessage(make(refused[3]), restored).content).toHaveProperty("text");
  expect(openMessage(make(refused[0]), restored).content).toHaveProperty("problem");
});

it("[SEALED-6] trusts the key that it saw first, another that the same member certified, and what a person accepts", () => {
  const peer = { sessionId, address: "Alex/atlas" };
  const card = (seed = drawSeed(), member?: Uint8Array) => {
    const certified = member && certify(seed, member);
    const checked = checkCard(makeKeyCard(seed, certified));
    if (!checked) throw new TypeError("The card holds.");
    return checked;
  };
  const [first, other] = [card(), card()];
  expect(
    [first, other, first, card(drawSeed(), memberSeed)].map((each) => isTrusted(home, peer, each)),
  ).toEqual([true, false, true, false]);
  savePin(home, peer, other, true);
  expect([first, other].map((each) => isTrusted(home, { ...peer, address: "alex/ATLAS" }, each))).toEqual([
    false,
    true,
  ]);

  const cedar = { sessionId, address: "Cedar" };
  const launches = [
    card(drawSeed(), memberSeed),
    card(drawSeed(), memberSeed),
    card(drawSeed(), drawSeed()),
    card(),
  ];
  expect(launches.map((each) => isTrusted(home, cedar, each))).toEqual([true, true, false, false]);
});

it("[SEALED-6] a certificate of another key, or by another one, makes no card", () => {
  const seed = drawSeed();
  const good = makeKeyCard(seed, certify(seed, memberSeed));
  expect(checkCard(good)).toMatchObject({ memberKey: deriveSigningKey(memberSeed).publicKey });
  expect(checkCard(makeKeyCard(seed, certify(drawSeed(), memberSeed)))).toBeNull();
  const { member } = makeKeyCard(seed, certify(seed, drawSeed()));
  const certificate_signature = member?.certificate_signature ?? "";
  expect(checkCard({ ...good, member: { ...good.member, certificate_signature } })).toBeNull();
});

it("[SEALED-8] both sides see the same number, and another one for another key", () => {
  const [alex, birch] = ["A", "B"].map((letter) => ({ sessionKey: letter.repeat(43), memberKey: null }));
  if (!alex || !birch) throw new TypeError("There are two.");
  const number = computeSafetyNumber(alex, birch);
  expect(number).toMatch(/^(?:\d{5} ){11}\d{5}$/);
  expect(computeSafetyNumber(birch, alex)).toBe(number);
  expect(computeSafetyNumber({ ...alex, memberKey: "C".repeat(43) }, birch)).not.toBe(number);
  expect(computeSafetyNumber({ ...alex, sessionKey: "D".repeat(43) }, birch)).not.toBe(number);
});

function certify(seed: Uint8Array, member: Uint8Array) {
  const sessionKey = deriveSigningKey(seed).publicKey;
  const memberKey = deriveSigningKey(member);
  return certifySessionKey({ meshId: sessionId, memberKey, sessionKey, label: "l", now: new Date(posted) });
}
