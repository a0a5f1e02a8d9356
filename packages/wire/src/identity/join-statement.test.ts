import { expect, it } from "vitest";
import { encodeJoin, proveJoin } from "./join-statement.js";
import { deriveSigningKey } from "./signing-key.js";

const memberKey = deriveSigningKey(new Uint8Array(32).fill(7));
const brokerId = "8f14e45f-ceea-467f-a0e6-1d2c3b4a5968";

it("[INVITE-6] the statement of joining names broker, key and moment, and holds the invite as a fingerprint alone", () => {
  const now = new Date("2026-05-02T14:05:00.000Z");
  const proof = proveJoin({ brokerId, invite: " 31-7KQ2-M4XD ", name: " Ana ", memberKey, now });
  expect(proof).toMatchObject({
    invite: "31-7KQ2-M4XD",
    name: "Ana",
    public_key: memberKey.publicKey,
    time: "2026-05-02T14:05:00.000Z",
  });
  const { signature, ...statement } = proof;
  const bytes = encodeJoin({ broker_id: brokerId, ...statement });
  expect(signature).toBe(memberKey.sign(bytes));
  const text = new TextDecoder().decode(bytes);
  expect(text).toMatch(/^merkle join v1\n\{"broker_id":"8f14e45f-/);
  expect(text).not.toContain("7KQ2");
});
