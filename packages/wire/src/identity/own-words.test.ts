import { expect, it } from "vitest";
import { verifySignatureHere } from "../record/verify-signature.js";
import type { OwnSignature } from "./own-signature.js";
import {
  encodeOwnWords,
  findOwnWordsProblem,
  type OwnWords,
  type OwnWordsReader,
  ownWordsAheadMsMax,
  ownWordsMsMax,
  signOwnWords,
  toDeviceKey,
} from "./own-words.js";
import { deriveSigningKey } from "./signing-key.js";

const key = toDeviceKey(deriveSigningKey(new Uint8Array(32).fill(7)));
const otherKey = toDeviceKey(deriveSigningKey(new Uint8Array(32).fill(8)));
const now = new Date("2026-05-02T14:05:00.000Z");
const session_id = "8f14e45f-ceea-467f-a0e6-1d2c3b4a5968";
const peer_id = "1f14e45f-ceea-467f-a0e6-1d2c3b4a5968";
const launch = "ab".repeat(16);
const words: OwnWords = { purpose: "message", session_id, reply_to: 9, content: { text: "Deploy it." } };
const reader: OwnWordsReader = {
  ...{ session_id, peer_id, launch, devices: [key.device], now },
  verify: verifySignatureHere,
};
const sign = (by = key) => signOwnWords(words, { peer_id, launch }, { key: by, now });

it("[OWN-3] what a device signs names its purpose, the recipient, the launch, a nonce, the time and the words", async () => {
  const signed = await sign();
  const [purpose, json = ""] = new TextDecoder().decode(encodeOwnWords(words, signed)).split("\n");
  expect(purpose).toBe("merkle own words message v1");
  const { signature: _, ...rest } = signed;
  expect(JSON.parse(json)).toEqual({ ...rest, session_id, reply_to: 9, content: { text: "Deploy it." } });
  expect(signed).toMatchObject({ device: key.device, peer_id, launch, at: now.toISOString() });
  expect(signed.nonce).not.toBe((await sign()).nonce);
  expect(findOwnWordsProblem(words, signed, reader)).toBeNull();
});

it("[OWN-5] anything else than what was signed does not count", async () => {
  const signed = await sign();
  const other = "2f14e45f-ceea-467f-a0e6-1d2c3b4a5968";
  const problemOf = (
    changed: Partial<OwnWords>,
    forged: Partial<OwnSignature> = {},
    read: Partial<OwnWordsReader> = {},
  ) => findOwnWordsProblem({ ...words, ...changed }, { ...signed, ...forged }, { ...reader, ...read });
  expect(problemOf({ content: { text: "Delete it." } })).toBe("signature");
  expect(problemOf({ content: { text: "Deploy it.", answer: "yes" } })).toBe("signature");
  expect(problemOf({ reply_to: null })).toBe("signature");
  expect(problemOf({ purpose: "answer" })).toBe("signature");
  expect(problemOf({}, { nonce: "cd".repeat(16) })).toBe("signature");
  expect(problemOf({}, { at: new Date(now.getTime() + 1).toISOString() })).toBe("signature");
  expect(problemOf({}, { signature: "" })).toBe("signature");
  expect(problemOf({}, { device: otherKey.device })).toBe("device");
  expect(problemOf({}, { device: otherKey.device }, { devices: [otherKey.device] })).toBe("signature");
  expect(problemOf({}, { peer_id: other })).toBe("recipient");
  expect(problemOf({}, { peer_id: other }, { peer_id: other })).toBe("signature");
  expect(problemOf({}, {}, { session_id: other })).toBe("session");
  expect(problemOf({ session_id: other }, {}, { session_id: other })).toBe("signature");
  expect(problemOf({}, {}, { launch: "cd".repeat(16) })).toBe("launch");
  expect(problemOf({}, { launch: "cd".repeat(16) }, { launch: "cd".repeat(16) })).toBe("signature");
  expect(findOwnWordsProblem(words, await sign(otherKey), reader)).toBe("device");
});

it("[OWN-5] words count for minutes, and a little longer for a device whose clock is ahead", async () => {
  const signed = await sign();
  const problemAfter = (ms: number) =>
    findOwnWordsProblem(words, signed, { ...reader, now: new Date(now.getTime() + ms) });
  expect(problemAfter(ownWordsMsMax)).toBeNull();
  expect(problemAfter(ownWordsMsMax + 1)).toBe("time");
  expect(problemAfter(-ownWordsAheadMsMax)).toBeNull();
  expect(problemAfter(-ownWordsAheadMsMax - 1)).toBe("time");
  expect(findOwnWordsProblem(words, { ...signed, at: "soon" }, reader)).toBe("time");
});
