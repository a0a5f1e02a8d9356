import { expect, it } from "vitest";
import { findInviteSecrets, formatInviteCode, parseInvite } from "./invite-text.js";

const secret = "ab_-456789012345678901";

it("[INVITE-3] an invite is understood as its link, its secret, or its code however it is spoken", () => {
  for (const given of [
    secret,
    `https://mesh.example.com/join#${secret}`,
    ` http://[::1]:7423/m/join#${secret}`,
  ])
    expect(parseInvite(given), given).toEqual({ kind: "secret", secret });
  const code = { kind: "code", number: 31, code: "7KQ0M41D" };
  for (const given of [
    "31-7KQ0-M41D",
    "31-7kqo-m4Ld",
    "3l 7kq0 m4id",
    "317KQ0M41D",
    "31-7K-Q0M41D",
    "#31-7KQ0-M41D",
  ])
    expect(parseInvite(given), given).toEqual(code);
  expect(formatInviteCode(31, "7KQ0M41D")).toBe("31-7KQ0-M41D");
  for (const given of [
    "",
    "31",
    "31-7KQ0",
    "31-7KQU-M41D",
    "x1-7KQ0-M41D",
    `${secret}1`,
    "https://a/join",
    "hello world",
  ])
    expect(parseInvite(given), given).toBeNull();
});

it("[AUTH-6] the secret of an invite's link is found within a text", () => {
  expect(findInviteSecrets(`see https://a/join#${secret}, or /join#${secret}x, /join#short`)).toEqual([
    secret,
  ]);
});
