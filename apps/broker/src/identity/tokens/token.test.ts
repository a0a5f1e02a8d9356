import { randomUUID } from "node:crypto";
import {
  type Database,
  deleteEndedTokens,
  endTokens,
  findToken,
  insertMember,
  insertToken,
  listTokenRows,
  type NewToken,
  openDatabase,
  takeToken,
  useToken,
} from "@merkle/db";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../../../../../tests/kit/cleanup.js";
import { connectTestDatabase, createTestDatabase } from "../../../../../tests/kit/test-database.js";
import { findTokenKind, findTokens, hashToken, joinHalves, makeBrowserToken, makeToken } from "./token.js";

it("[TOKEN-1] a token says of what kind it is, and is found within a text", () => {
  const { token, secretHash } = makeToken("bearer");
  expect(token).toMatch(/^mkt_[A-Za-z0-9_-]{43}$/);
  expect(hashToken(token)).toEqual(secretHash);
  expect(findTokenKind(token)).toBe("bearer");
  expect(findTokenKind(`${token}x`)).toBeNull();
  expect(findTokenKind(token.replace("mkt_", "mkx_"))).toBeNull();
  const { cookie, page } = makeBrowserToken();
  expect(findTokenKind(joinHalves(cookie, page))).toBe("browser");
  expect(findTokenKind(cookie)).toBeNull();
  const other = makeToken("observer").token;
  expect([...findTokens(`see mkt_${token}, or #observe=${other}.`)]).toEqual([
    `mkt_${token}`.slice(0, 47),
    token,
    other,
  ]);
});

describe("tokens in force", () => {
  let database: Database;
  let sql: ReturnType<typeof connectTestDatabase>;
  const cleanup = createCleanup();
  beforeAll(async () => {
    const url = await createTestDatabase(cleanup);
    database = await openDatabase({ target: url });
    sql = connectTestDatabase(url, cleanup);
    cleanup(() => database.close());
  });

  async function addMember(): Promise<string> {
    const memberId = randomUUID();
    await insertMember(database.orm, {
      meshId: database.meshId,
      memberId,
      name: "Ana",
      role: "member",
      publicKey: hashToken(memberId),
      invite: null,
      vouchedBy: memberId,
      program: null,
      joinedAt: new Date(),
      revokedAt: null,
      revokedBy: null,
    });
    return memberId;
  }

  const by = (vouchedBy: string, token: number | null = null) => ({ vouchedBy, token, program: null });

  async function issue(memberId: string, token: Partial<NewToken> = {}) {
    const made = token.kind === "browser" ? makeBrowserToken() : makeToken(token.kind ?? "bearer");
    const { number, expiresAt } = await insertToken(database.orm, {
      meshId: database.meshId,
      kind: "bearer",
      secretHash: made.secretHash,
      holder: { memberId },
      authority: by(memberId),
      seconds: 60,
      ...token,
    });
    return { ...made, number, expiresAt };
  }

  it("[TOKEN-2] a token is found with its member, in force or not at all", async () => {
    const memberId = await addMember();
    const { secretHash, number } = await issue(memberId);
    expect(await useToken(database.orm, secretHash)).toMatchObject({
      number,
      memberId,
      member: { name: "Ana", role: "member" },
      session: null,
      lastUsedAt: null,
    });
    const lastUsed = (await useToken(database.orm, secretHash))?.lastUsedAt;
    expect(lastUsed).toBeInstanceOf(Date);
    expect((await useToken(database.orm, secretHash))?.lastUsedAt).toEqual(lastUsed);
    expect(await useToken(database.orm, hashToken("mkt_other"))).toBeNull();

    const expired = await issue(memberId);
    await sql`UPDATE tokens SET expires_at = now() WHERE number = ${expired.number}`;
    expect(await useToken(database.orm, expired.secretHash)).toBeNull();
    expect(await findToken(database.orm, expired.secretHash)).toMatchObject({ number: expired.number });

    await sql`UPDATE members SET revoked_at = now(), revoked_by = 'x' WHERE member_id = ${memberId}`;
    expect(await useToken(database.orm, secretHash)).toBeNull();
  });

  it("[TOKEN-3] of many who take a single-use token at once, one gets it", async () => {
    const { secretHash } = await issue(await addMember(), { kind: "ticket" });
    const taken = await Promise.all(Array.from({ length: 20 }, () => takeToken(database.orm, secretHash)));
    expect(taken.filter((each) => each !== null)).toHaveLength(1);
  });

  it("[TOKEN-4] what was got by a token ends with it, and lasts no longer", async () => {
    const memberId = await addMember();
    const link = await issue(memberId, { kind: "sign_in" });
    const browser = await issue(memberId, { kind: "browser" });
    const brief = await issue(memberId, {
      kind: "bearer",
      authority: by(memberId, browser.number),
      seconds: 2 * 3_600,
    });
    expect(brief.expiresAt).toEqual(browser.expiresAt);
    const ticket = await issue(memberId, { kind: "ticket", authority: by(memberId, browser.number) });
    expect(await takeToken(database.orm, link.secretHash)).toMatchObject({ number: link.number });
    expect(await useToken(database.orm, browser.secretHash)).not.toBeNull();
    expect(await listTokenRows(database.orm, database.meshId, { memberId, limit: 10 })).toMatchObject([
      { number: brief.number },
      { number: browser.number },
    ]);
    expect(
      (await endTokens(database.orm, { meshId: database.meshId, number: browser.number }, "Ana")).tokens,
    ).toEqual(expect.arrayContaining([browser.number, ticket.number]));
    expect(await takeToken(database.orm, ticket.secretHash)).toBeNull();
    // If a token is issued while its parent is being ended, the token must end too.
    const late = await issue(memberId, { kind: "ticket", authority: by(memberId, browser.number) });
    expect(await takeToken(database.orm, late.secretHash)).toBeNull();
  });

  it("[TOKEN-5] a member's tokens end together, and are forgotten in the end", async () => {
    const memberId = await addMember();
    const [one, two] = [await issue(memberId), await issue(memberId)];
    expect(
      (await endTokens(database.orm, { meshId: database.meshId, memberId }, "Ana")).tokens.toSorted(
        (a, b) => a - b,
      ),
    ).toEqual([one.number, two.number]);
    expect(await deleteEndedTokens(database.orm, 30)).toBe(0);
    await sql`UPDATE tokens SET expires_at = now() - interval '31 days' WHERE member_id = ${memberId}`;
    expect(await deleteEndedTokens(database.orm, 30)).toBe(2);
  });
});
