import { limits } from "@merkle/wire/limits";
import { expect, it } from "vitest";
import { createSignInChallenges } from "./sign-in-challenges.js";

const asGiven = async (nonce: string | null) => nonce;
const refuse = async () => {
  throw new Error("proves nobody");
};

it("[GUARD-14] a nonce lets somebody in once, and only whoever proves something uses it up", async () => {
  const challenges = createSignInChallenges();
  const nonce = challenges.issue();
  expect(Buffer.from(nonce, "base64url")).toHaveLength(32);
  await expect(challenges.answer(nonce, refuse)).rejects.toThrow("proves nobody");
  const [first, second] = await Promise.all([
    challenges.answer(nonce, asGiven),
    challenges.answer(nonce, asGiven),
  ]);
  expect([first, second]).toEqual([nonce, null]);
  expect(await challenges.answer(nonce, asGiven)).toBeNull();
});

it("[GUARD-14] asking for any number of them makes none of them worthless", async () => {
  const challenges = createSignInChallenges();
  const first = challenges.issue();
  const nonces = new Set(Array.from({ length: 20_000 }, () => challenges.issue()));
  expect(nonces.size).toBe(20_000);
  expect(await challenges.answer(first, asGiven)).toBe(first);
});

it("[GUARD-14] one that is old, changed, spelled differently or another broker's is none", async () => {
  let now = 5_000;
  const challenges = createSignInChallenges({ now: () => now });
  const nonce = challenges.issue();
  const [last = ""] = nonce.slice(-1);
  const bytes = Buffer.from(nonce, "base64url");
  const respelled = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"]
    .map((char) => nonce.slice(0, -1) + char)
    .filter((other) => other !== nonce && Buffer.from(other, "base64url").equals(bytes));
  expect(respelled).toHaveLength(3);
  const changed = `${nonce.startsWith("A") ? "B" : "A"}${nonce.slice(1)}`;
  const others = createSignInChallenges({ now: () => now }).issue();
  for (const wrong of [...respelled, `${nonce}=`, changed, nonce.slice(1) + last, others, "", "x"]) {
    expect(await challenges.answer(wrong, asGiven), wrong).toBeNull();
  }
  now += 29_999;
  expect(await challenges.answer(nonce, refuse).catch(() => "checked")).toBe("checked");
  now += 2;
  expect(await challenges.answer(nonce, asGiven)).toBeNull();
});

it("[GUARD-14] of those that let somebody in no more are known than there is room for, and none is forgotten too early", async () => {
  let now = 0;
  const challenges = createSignInChallenges({ now: () => now });
  const first = challenges.issue();
  await challenges.answer(first, asGiven);
  for (let n = 1; n < limits.cachedCredentialsMax; n += 1)
    await challenges.answer(challenges.issue(), asGiven);
  await expect(challenges.answer(challenges.issue(), asGiven)).rejects.toMatchObject({ code: "unavailable" });
  expect(await challenges.answer(first, asGiven)).toBeNull();
  now += 30_001;
  const later = challenges.issue();
  expect(await challenges.answer(later, asGiven)).toBe(later);
});
