import { createHash, randomUUID } from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import { isUuid } from "../core/uuid.js";
import { createIdempotencyKey, deriveMessageId } from "./message-id.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const sender = { sessionId: randomUUID(), peerId: randomUUID(), operation: "post_message" } as const;

it("[FEED-5] a key that tells its instant gives an id that begins with it, and the same one again", () => {
  vi.useFakeTimers({ now: new Date("2026-11-24T12:00:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const message = { ...sender, idempotencyKey: createIdempotencyKey(randomUUID()) };
  vi.advanceTimersByTime(1);
  const later = { ...sender, idempotencyKey: createIdempotencyKey(randomUUID()) };
  const ids = [message, later, message].map((each) => deriveMessageId(each, sha256));
  expect(ids.every(isUuid)).toBe(true);
  expect(ids[0]).toBe(ids[2]);
  expect(ids.slice(0, 2).toSorted()).toEqual(ids.slice(0, 2));
  const instant = Date.parse("2026-11-24T12:00:00Z").toString(16).padStart(12, "0");
  expect(ids[0]?.replaceAll("-", "").slice(0, 12)).toBe(instant);
});

it("[FEED-5] other keys give the ids that they always gave", () => {
  const message = {
    sessionId: "s",
    peerId: "p",
    operation: "post_message",
    idempotencyKey: "a key of its own",
  } as const;
  expect(deriveMessageId(message, sha256)).toBe("747fc2f9-94ac-8e51-a0fc-e1603a56facb");
});
