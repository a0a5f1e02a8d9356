import { createHash, randomUUID } from "node:crypto";
import { type InputOf, type OutputOf, type ThoughtRecord, verifyMerkleProof } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { operations } from "@merkle/wire/schemas";
import type postgres from "postgres";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startStdioServer } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { callTool, initialize, post, readRpc } from "../mcp/rpc.js";

let broker: TestBroker;
let transport: TransportClient;
let sql: postgres.Sql;
const opened = new Map<string, TransportClient>();
const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
  await Promise.all(
    Object.entries(transports).map(async ([name, open]) => {
      const each = await open(broker.url);
      cleanup(each.close);
      opened.set(name, each);
    }),
  );
  transport = openedTransport("rest");
});

function openedTransport(name: string): TransportClient {
  const found = opened.get(name);
  if (!found) throw new Error(`There is no transport ${name}.`);
  return found;
}

const zeros = "0".repeat(64);
const types = ["plan", "analysis", "decision", "decision", "reflection"] as const;

/** Creates a separate team and starts an audit session for one task. */
async function startAudit(at = transport, more: Partial<InputOf<"audit_session_start">> = {}) {
  const { convener: team_id, sessionId: feed } = await createTestSession(at);
  const task_id = `task ${randomUUID()}`;
  const intent = "Decide where tokens are kept.";
  const session = await at.call("audit_session_start", { intent, task_id, team_id, ...more });
  const { session_id } = session;
  const think = (content: string, input: Partial<InputOf<"thought_record">> = {}) =>
    at.call("thought_record", { type: "plan", content, team_id, ...input });
  return {
    session,
    session_id,
    task_id,
    team_id,
    feed,
    think,
    async thinkAll(count: number): Promise<ThoughtRecord[]> {
      const records: ThoughtRecord[] = [];
      for (let number = 1; number <= count; number++) {
        records.push(await think(`record ${number}`, { type: types[(number - 1) % 5] ?? "plan" }));
      }
      return records;
    },
    list: async (input: Partial<InputOf<"thought_record_list">> = {}) =>
      (await at.call("thought_record_list", { team_id, ...input })).records,
    verify: (input: Partial<InputOf<"audit_verify_chain">> = {}) =>
      at.call("audit_verify_chain", { team_id, ...input }),
    finalize: (input: Partial<InputOf<"merkle_finalize">> = {}) =>
      at.call("merkle_finalize", { team_id, ...input }),
    root: (input: Partial<InputOf<"merkle_root">> = {}) => at.call("merkle_root", { team_id, ...input }),
  };
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash("sha256").update(data).digest();
}

/** Hashes a record without using Merkle's code, as anyone could: the six fields, sorted by name. */
function hashOf({ content, id, prev_hash, task_id, timestamp, type }: ThoughtRecord): string {
  return sha256(JSON.stringify({ content, id, prev_hash, task_id, timestamp, type })).toString("hex");
}

/** Hashes a pair of nodes, the smaller node first. */
function pair(a: string, b: string): string {
  return sha256(Buffer.from([a, b].sort().join(""), "hex")).toString("hex");
}

function expectChain(records: readonly ThoughtRecord[]): void {
  expect(records.map(({ hash }) => hash)).toEqual(records.map(hashOf));
  const before = [zeros, ...records.map(({ hash }) => hash)].slice(0, -1);
  expect(records.map(({ prev_hash }) => prev_hash)).toEqual(before);
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return (await expectFailure(call)).code;
}

describe.each(Object.keys(transports))("the acceptance criteria, by %s", (name) => {
  it("[AUDIT-1] [AUDIT-7] AC1 to AC5: a session of five records has the root that its hashes have by hand", async () => {
    const audit = await startAudit(openedTransport(name));
    // Acceptance criterion AC3: audit_session_start creates a session and returns its id, which is a version 4 uuid.
    expect(audit.session).toEqual({
      session_id: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      intent: "Decide where tokens are kept.",
      task_id: audit.task_id,
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
    });
    const stored =
      await sql`SELECT intent, task_id FROM audit_sessions WHERE session_id = ${audit.session_id}`;
    expect(stored).toEqual([{ intent: audit.session.intent, task_id: audit.task_id }]);
    // Acceptance criterion AC4: a session needs a record before it can be finalised.
    expect(await codeOf(audit.finalize())).toBe("ERR_NO_RECORDS");
    expect(await codeOf(audit.root())).toBe("ERR_NOT_FINALIZED");
    const records = await audit.thinkAll(5);
    expectChain(records);
    expect(await audit.list()).toEqual(records);
    // Acceptance criterion AC1: finalising stores the root of the records. AC5: in sorted order, the tree is ((a b) (c
    // d)) e.
    const finalized = await audit.finalize();
    const [a = "", b = "", c = "", d = "", e = ""] = records.map(({ hash }) => hash).sort();
    const root = pair(pair(pair(a, b), pair(c, d)), e);
    const { session_id } = audit;
    expect(finalized).toEqual({ session_id, root, record_count: 5, finalized_at: expect.any(String) });
    const kept =
      await sql`SELECT root, record_count, finalized_at FROM merkle_roots WHERE session_id = ${session_id}`;
    expect(kept).toEqual([{ root, record_count: 5, finalized_at: new Date(finalized.finalized_at) }]);
    // Acceptance criterion AC2: merkle_root returns the root, the number of records and the time.
    expect(await audit.root()).toEqual(finalized);
    expect(await audit.verify()).toEqual({
      valid: true,
      task_count: 1,
      record_count: 5,
      broken_at: null,
      root_matches: true,
    });
    // Invariant I4: a session is finalised only once.
    expect(await codeOf(audit.finalize())).toBe("ERR_ALREADY_FINALIZED");
    expect(await codeOf(audit.think("too late"))).toBe("ERR_ALREADY_FINALIZED");
    for (const { id, hash } of records) {
      const input = { record_id: id, team_id: audit.team_id };
      const proof = await openedTransport(name).call("merkle_proof", input);
      expect(proof).toMatchObject({ session_id, record_id: id, hash, root });
      expect(await verifyMerkleProof(hash, proof, sha256)).toBe(true);
    }
  });

  it("[AUDIT-1] of two who start an audit session of one id at once, one does", async () => {
    const at = openedTransport(name);
    const { team_id } = await startAudit(at);
    const start = { intent: "x", session_id: randomUUID(), team_id };
    const race = await Promise.allSettled([1, 2].map(() => at.call("audit_session_start", start)));
    const lost = race.filter((each) => each.status === "rejected");
    expect(lost).toMatchObject([{ reason: { code: "ERR_SESSION_EXISTS" } }]);
  });

  it("[AUDIT-10] every refusal has the code that stands for it", async () => {
    const at = openedTransport(name);
    const audit = await startAudit(at, { session_id: `audit ${randomUUID()}` });
    const again = { intent: "x", session_id: audit.session_id, team_id: audit.team_id };
    expect(await codeOf(at.call("audit_session_start", again))).toBe("ERR_SESSION_EXISTS");
    const nowhere = { session_id: "nowhere" };
    expect(await codeOf(audit.think("x", nowhere))).toBe("ERR_SESSION_NOT_FOUND");
    expect(await codeOf(audit.list(nowhere))).toBe("ERR_SESSION_NOT_FOUND");
    expect(await codeOf(audit.verify(nowhere))).toBe("ERR_SESSION_NOT_FOUND");
    expect(await codeOf(audit.finalize(nowhere))).toBe("ERR_SESSION_NOT_FOUND");
    // Invariant I5 also applies to a session that was never started.
    expect(await codeOf(audit.root())).toBe("ERR_NOT_FINALIZED");
    expect(await codeOf(audit.root(nowhere))).toBe("ERR_NOT_FINALIZED");
    const record_id = randomUUID();
    const { team_id } = audit;
    expect(await codeOf(at.call("merkle_proof", { record_id, team_id }))).toBe("ERR_NOT_FINALIZED");
    await audit.think("x");
    await audit.finalize();
    expect(await codeOf(at.call("merkle_proof", { record_id, team_id }))).toBe("not_found");
    expect(await expectFailure(at.call("audit_session_start", { team_id, intent: "" }))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("intent must not be empty"),
    });
    for (const [operation, input] of [
      ["audit_session_start", { intent: "x", session_id: "" }],
      ["audit_session_start", { intent: "x", task_id: "" }],
      ["thought_record", { type: "guess", content: "x" }],
      ["thought_record", { type: "plan", content: "" }],
      ["merkle_finalize", { session_id: "" }],
      ["merkle_root", { session_id: 7 }],
    ] as const) {
      const refused = at.callRaw(operation, { team_id, ...input });
      // In a URL every value is text, so the 7 counts as a session id there.
      const isText = at.name === "rest" && operation === "merkle_root";
      expect(await codeOf(refused), operation).toBe(isText ? "ERR_NOT_FINALIZED" : "bad_request");
    }
  });
});

describe("the invariants", () => {
  it("[AUDIT-8] I1: the same hashes in another order give the same root", async () => {
    const audit = await startAudit();
    await audit.thinkAll(5);
    const { root } = await audit.finalize();
    const other = await startAudit();
    await sql`INSERT INTO thought_records
      SELECT mesh_id, 1000000 - number, gen_random_uuid(), type, ${other.task_id}, content, timestamp, prev_hash, hash,
             ${other.session_id}, recorded_by
      FROM thought_records WHERE session_id = ${audit.session_id}`;
    expect((await other.list()).map(({ hash }) => hash)).toEqual(
      (await audit.list()).map(({ hash }) => hash).reverse(),
    );
    expect(await other.finalize()).toMatchObject({ root, record_count: 5 });
  });

  it("[AUDIT-3] I2: a record is in an audit session or in none, and those of one are found by an index", async () => {
    const columns = await sql`SELECT data_type, is_nullable FROM information_schema.columns
      WHERE table_name = 'thought_records' AND column_name = 'session_id'`;
    expect(columns).toEqual([{ data_type: "text", is_nullable: "YES" }]);
    const [index] = await sql`SELECT indexdef FROM pg_indexes WHERE indexname = 'thought_records_by_session'`;
    expect(index?.["indexdef"]).toContain("(mesh_id, session_id, number)");
    const { convener: team_id } = await createTestSession(transport);
    const task_id = randomUUID();
    const loose = { type: "plan", content: "x", team_id } as const;
    expect(await codeOf(transport.call("thought_record", loose))).toBe("bad_request");
    expect(await transport.call("thought_record", { ...loose, task_id })).toMatchObject({ session_id: null });
  });

  it("[AUDIT-4] I3: the session is no part of the hash: a chain stays valid when records are put into one", async () => {
    const audit = await startAudit();
    const { convener: team_id } = await createTestSession(transport);
    const { task_id } = audit;
    for (const content of ["one", "two"])
      await transport.call("thought_record", { type: "plan", content, task_id, team_id });
    await audit.think("three");
    await sql`UPDATE thought_records SET session_id = ${audit.session_id} WHERE task_id = ${task_id}`;
    expectChain(await audit.list());
    expect(await audit.verify()).toMatchObject({ valid: true, record_count: 3 });
  });

  it("[AUDIT-7] I4: of two who finalize at once, one does", async () => {
    const audit = await startAudit();
    await audit.think("x");
    const race = await Promise.allSettled([audit.finalize(), audit.finalize()]);
    const lost = race.filter((each) => each.status === "rejected");
    expect(lost).toMatchObject([{ reason: { code: "ERR_ALREADY_FINALIZED" } }]);
  });

  it("[AUDIT-8] I5: there is no root of a session that is not finalized, nor of who has started none", async () => {
    const audit = await startAudit();
    await audit.think("x");
    expect(await codeOf(audit.root())).toBe("ERR_NOT_FINALIZED");
    const { convener: team_id } = await createTestSession(transport);
    expect(await codeOf(transport.call("merkle_root", { team_id }))).toBe("ERR_NOT_FINALIZED");
    expect(await codeOf(transport.call("merkle_finalize", { team_id }))).toBe("ERR_SESSION_NOT_FOUND");
  });

  it("[AUDIT-11] I6: each audit tool is offered once, and no two operations share a name", async () => {
    const names = operations.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const audits = operations
      .filter(({ toolset, unlisted }) => toolset === "audit" && unlisted !== true)
      .map(({ name }) => name);
    expect(audits).toEqual(
      expect.arrayContaining([
        "audit_session_start",
        "thought_record",
        "thought_record_list",
        "audit_verify_chain",
        "merkle_finalize",
        "merkle_root",
        "merkle_proof",
      ]),
    );
    const asked = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { result } = await readRpc(await post(`${broker.url}/mcp?tools=audit`, asked));
    expect(Object(result)["tools"].map((tool: { name: string }) => tool.name)).toEqual(audits);
  });
});

describe("a chain", () => {
  it("[AUDIT-3] does not fork, however many record at once, and nothing is lost", async () => {
    const audit = await startAudit();
    const { task_id } = audit;
    const others = await Promise.all(["mcp", "websocket"].map((name) => startAudit(openedTransport(name))));
    const recorded = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (others[index % 3] ?? audit).think(`${index}`, { task_id, session_id: audit.session_id }),
      ),
    );
    const records = await audit.list({ limit: 100 });
    expectChain(records);
    const ids = (each: readonly ThoughtRecord[]) => each.map(({ id }) => id).sort();
    expect(ids(records)).toEqual(ids(recorded));
    expect(await audit.verify()).toMatchObject({ valid: true, record_count: 100, task_count: 1 });
    expect(await audit.finalize()).toMatchObject({ record_count: 100 });
  });

  it("[AUDIT-7] what is recorded while somebody finalizes is in the root, or refused", async () => {
    const audit = await startAudit();
    await audit.think("first");
    const thoughts = Array.from({ length: 8 }, (_, index) => audit.think(`${index}`));
    const [finalized, ...outcomes] = await Promise.allSettled([audit.finalize(), ...thoughts]);
    if (finalized.status !== "fulfilled") throw finalized.reason;
    const refused = outcomes.filter((each) => each.status === "rejected");
    for (const { reason } of refused) expect(reason).toMatchObject({ code: "ERR_ALREADY_FINALIZED" });
    expect(finalized.value.record_count).toBe(1 + outcomes.length - refused.length);
    expect(await audit.verify()).toMatchObject({ valid: true, root_matches: true });
  });

  it("[AUDIT-6] is each task's own, also when tasks take turns", async () => {
    const audit = await startAudit();
    const [one, two] = [`one ${randomUUID()}`, `two ${randomUUID()}`];
    for (const content of ["a", "b", "c"]) {
      for (const task_id of [one, two]) await audit.think(content, { task_id });
    }
    for (const task_id of [one, two])
      expectChain(await audit.list({ task_id, session_id: audit.session_id }));
    expect(await audit.verify()).toMatchObject({ valid: true, task_count: 2, record_count: 6 });
    const [, changed] = await audit.list({ task_id: two });
    await sql`UPDATE thought_records SET content = 'B' WHERE id = ${changed?.id ?? ""}`;
    const { number, id, task_id } = changed ?? {};
    expect(await audit.verify()).toMatchObject({
      valid: false,
      record_count: 4,
      broken_at: { id, number, task_id, problem: "hash" },
    });
    expect(await audit.verify({ task_id: one })).toMatchObject({
      valid: true,
      record_count: 3,
      root_matches: null,
    });
    expect(await audit.verify({ task_id: two })).toMatchObject({ valid: false, record_count: 2 });
  });

  it("[AUDIT-6] that somebody tampered with is broken at the record where it shows", async () => {
    const tamper = async (change: (records: ThoughtRecord[]) => Promise<unknown>) => {
      const audit = await startAudit();
      const records = await audit.thinkAll(5);
      await change(records);
      const { valid, broken_at } = await audit.verify();
      return { valid, at: records.findIndex(({ id }) => id === broken_at?.id), problem: broken_at?.problem };
    };
    const third = ([, , record]: ThoughtRecord[]) => record?.id ?? "";
    const changed = (what: postgres.Fragment) => (records: ThoughtRecord[]) =>
      sql`UPDATE thought_records SET ${what} WHERE id = ${third(records)}`;
    for (const what of [
      sql`content = 'another'`,
      sql`type = 'reflection'`,
      sql`timestamp = timestamp + interval '1 ms'`,
      sql`hash = ${"ab".repeat(32)}`,
      sql`prev_hash = ${"ab".repeat(32)}`,
    ]) {
      expect(await tamper(changed(what))).toEqual({ valid: false, at: 2, problem: "hash" });
    }
    const removed = (records: ThoughtRecord[]) =>
      sql`DELETE FROM thought_records WHERE id = ${third(records)}`;
    expect(await tamper(removed)).toEqual({ valid: false, at: 3, problem: "prev_hash" });
    const forged = async (records: ThoughtRecord[]) => {
      const [, , record] = records;
      if (!record) throw new Error("There is no third record.");
      const hash = hashOf({ ...record, content: "another" });
      await changed(sql`content = 'another', hash = ${hash}`)(records);
    };
    expect(await tamper(forged)).toEqual({ valid: false, at: 3, problem: "prev_hash" });
  });

  it("[AUDIT-6] [AUDIT-9] whose end was cut off is not what was finalized, and nothing is proved of it", async () => {
    const audit = await startAudit();
    const records = await audit.thinkAll(3);
    await audit.finalize();
    await sql`DELETE FROM thought_records WHERE id = ${records.at(-1)?.id ?? ""}`;
    expect(await audit.verify()).toMatchObject({ valid: false, broken_at: null, root_matches: false });
    const proof = transport.call("merkle_proof", { record_id: records[0]?.id ?? "", team_id: audit.team_id });
    expect(await codeOf(proof)).toBe("conflict");
  });

  it("[AUDIT-5] is listed in the order in which it came, never by time, a page at a time", async () => {
    const audit = await startAudit();
    const records = await audit.thinkAll(5);
    await sql`UPDATE thought_records SET timestamp = '2001-01-01' WHERE id = ${records[4]?.id ?? ""}`;
    const ids = records.map(({ id }) => id);
    expect((await audit.list()).map(({ id }) => id)).toEqual(ids);
    const found: string[] = [];
    let after: number | null = 0;
    while (after !== null) {
      const page: OutputOf<"thought_record_list"> = await transport.call("thought_record_list", {
        team_id: audit.team_id,
        limit: 2,
        after,
      });
      found.push(...page.records.map(({ id }) => id));
      after = page.next_cursor;
    }
    expect(found).toEqual(ids);
  });
});

describe("who only reads", () => {
  it("[AUDIT-13] needs no credential where the audit session is named, and is told to name one where it is not", async () => {
    const audit = await startAudit();
    const [record] = await audit.thinkAll(2);
    const named = { session_id: audit.session_id };
    expect((await transport.call("thought_record_list", named)).records).toHaveLength(2);
    expect(await transport.call("audit_verify_chain", named)).toMatchObject({
      valid: true,
      root_matches: null,
    });
    expect(await codeOf(transport.call("merkle_root", named))).toBe("ERR_NOT_FINALIZED");
    const finalized = await audit.finalize();
    expect(await transport.call("merkle_root", named)).toEqual(finalized);
    const proof = await transport.call("merkle_proof", { ...named, record_id: record?.id ?? "" });
    expect(proof.root).toBe(finalized.root);
    expect(await codeOf(transport.call("thought_record_list", {}))).toBe("ERR_SESSION_NOT_FOUND");
    expect(await codeOf(transport.call("audit_verify_chain", {}))).toBe("ERR_SESSION_NOT_FOUND");
    expect(await codeOf(transport.call("merkle_root", {}))).toBe("ERR_NOT_FINALIZED");
    const wrong = { ...named, team_id: `${randomUUID()}.mk_${"x".repeat(43)}` };
    expect(await codeOf(transport.call("merkle_finalize", wrong))).toBe("unauthorized");
  });

  it("[AUDIT-14] is listed the audit sessions, newest first, page by page, with what they were finalized to", async () => {
    const first = await startAudit();
    await first.think("x");
    const { root, finalized_at } = await first.finalize();
    const { person_id } = await makePerson(transport, "Ana");
    const start = { intent: "Look again.", team_id: person_id };
    const second = await transport.call("audit_session_start", start);
    const page = await transport.call("list_audit_sessions", { limit: 1 });
    expect(page.sessions).toEqual([
      { ...second, started_by: "Ana", record_count: 0, root: null, finalized_at: null },
    ]);
    const next = await transport.call("list_audit_sessions", { limit: 1, before: page.next_cursor ?? 0 });
    const sealed = { ...first.session, started_by: "Atlas", record_count: 1, root, finalized_at };
    expect(next.sessions).toEqual([sealed]);
    const { session_id } = first;
    expect(await transport.call("list_audit_sessions", { session_id })).toEqual({
      sessions: [sealed],
      next_cursor: null,
    });
    expect(await transport.call("list_audit_sessions", { session_id: "nowhere" })).toMatchObject({
      sessions: [],
    });
  });
});

describe("a call", () => {
  it("[AUDIT-2] means the audit session that its peer or person started last, and never one with a feed", async () => {
    const first = await startAudit();
    const { team_id, feed } = first;
    const second = await transport.call("audit_session_start", { intent: "y", task_id: "y", team_id });
    expect(await first.think("x")).toMatchObject({
      session_id: second.session_id,
      task_id: "y",
      recorded_by: "Atlas",
    });
    const named = { session_id: first.session_id };
    expect(await first.think("x", named)).toMatchObject({ ...named, task_id: first.task_id });
    expect(await codeOf(first.think("x", { session_id: feed }))).toBe("ERR_SESSION_NOT_FOUND");
    const join = { session_id: feed, team_name: "Atlas", team_id, peer_name: "birch" };
    const { peer_id } = await transport.call("join_session", join);
    const asPeer = { team_id: peer_id ?? "", task_id: "z" };
    expect(await first.think("x", asPeer)).toMatchObject({ session_id: null, recorded_by: "Atlas/birch" });
    const { person_id } = await makePerson(transport, "Ana");
    const asPerson = { team_id: person_id };
    const third = await transport.call("audit_session_start", { intent: "z", ...asPerson });
    expect(await codeOf(first.think("x", asPerson))).toBe("bad_request");
    expect(await first.think("x", { ...asPerson, task_id: "z" })).toMatchObject({
      session_id: third.session_id,
      recorded_by: "Ana",
    });
    // Another team may add a record to a session that someone else started, and finalise the session.
    expect(await first.think("x", { ...asPerson, ...named })).toMatchObject(named);
    expect(await transport.call("merkle_finalize", { ...asPerson, ...named })).toMatchObject({
      record_count: 2,
    });
  });

  it("[AUDIT-2] over MCP needs no credential of who has joined one session there", async () => {
    const url = `${broker.url}/mcp`;
    const headers = { "mcp-session-id": await initialize(url) };
    const call = (name: string, input: object) => callTool(url, name, input, { headers });
    const start = { intent: "x", task_id: randomUUID() };
    await call("audit_session_start", start);
    expect(await codeOf(call("merkle_finalize", {}))).toBe("ERR_SESSION_NOT_FOUND");
    await call("create_session", { title: `MCP ${randomUUID()}`, creator_team_name: "Elm" });
    const { session_id } = await call("audit_session_start", start);
    expect(await call("thought_record", { type: "plan", content: "x" })).toMatchObject({ session_id });
  });

  it("[IDEM-1] with the key of an earlier one is answered as that was, and records nothing more", async () => {
    const audit = await startAudit();
    const idempotency_key = randomUUID();
    const { team_id } = audit;
    const start = { intent: "x", task_id: "x", session_id: randomUUID(), team_id, idempotency_key };
    const started = await transport.call("audit_session_start", start);
    expect(await transport.call("audit_session_start", start)).toEqual(started);
    const thought = await audit.think("once", { idempotency_key });
    expect(await audit.think("once", { idempotency_key })).toEqual(thought);
    expect(await codeOf(audit.think("another", { idempotency_key }))).toBe("conflict");
    expect(await audit.list()).toEqual([thought]);
    const finalized = await audit.finalize({ idempotency_key });
    expect(await audit.finalize({ idempotency_key })).toEqual(finalized);
    expect(await audit.think("once", { idempotency_key })).toEqual(thought);
  });

  it("[LIMIT-1] [AUDIT-12] takes what is at its limit, and refuses what is above", async () => {
    const audit = await startAudit();
    const { team_id } = audit;
    const sized = (max: number) => ["x".repeat(max), "x".repeat(max + 1)] as const;
    const [content, tooLong] = sized(limits.thoughtBytesMax);
    expect((await audit.think(content)).content).toBe(content);
    expect(await codeOf(audit.think(tooLong))).toBe("payload_too_large");
    const [intent, longIntent] = sized(limits.intentCharsMax);
    const [id, longId] = sized(limits.auditIdCharsMax);
    const start = (input: Partial<InputOf<"audit_session_start">>) =>
      transport.call("audit_session_start", { intent, task_id: id, team_id, ...input });
    expect(await start({ session_id: id })).toMatchObject({ session_id: id, task_id: id, intent });
    for (const input of [{ intent: longIntent }, { task_id: longId }, { session_id: longId }]) {
      expect(await codeOf(start(input))).toBe("bad_request");
    }
    const named = { session_id: audit.session_id };
    const max = limits.thoughtsPerAuditSessionMax;
    await sql`UPDATE audit_sessions SET record_count = ${max - 1} WHERE session_id = ${audit.session_id}`;
    await audit.think("the last", named);
    expect(await codeOf(audit.think("one more", named))).toBe("conflict");
    await Promise.all(Array.from({ length: limits.thoughtsPageDefault + 1 }, () => audit.think("x")));
    expect(await audit.list()).toHaveLength(limits.thoughtsPageDefault);
    expect(await audit.list({ limit: limits.thoughtsPageMax })).toHaveLength(limits.thoughtsPageDefault + 1);
    expect(await codeOf(audit.list({ limit: limits.thoughtsPageMax + 1 }))).toBe("bad_request");
  });
});

describe("merkle mcp --tools audit", () => {
  it("[AUDIT-11] [STDIO-4] records as the place that was joined last, and answers in few words", async () => {
    const server = await startStdioServer({ url: broker.url, args: ["--tools", "audit"] }, cleanup);
    const { result } = await server.request("tools/list");
    const names = Object(result)["tools"].map((tool: { name: string }) => tool.name);
    expect(names).toEqual(expect.arrayContaining(["audit_session_start", "thought_record", "merkle_proof"]));
    expect(await server.call("merkle_finalize")).toContain("ERR_SESSION_NOT_FOUND");
    await server.call("create_session", { title: `Stdio ${randomUUID()}`, creator_team_name: "Fir" });
    expect(await server.call("audit_session_start", { intent: "x", task_id: "stdio" })).toMatch(
      /^audit session [0-9a-f-]{36} started$/,
    );
    const thought = await server.call("thought_record", { type: "decision", content: "keep\nit" });
    const { id = "", hash = "" } =
      /^recorded (?<id>\S{36}) hash (?<hash>[0-9a-f]{64})$/.exec(thought)?.groups ?? {};
    expect(await server.call("thought_record_list")).toMatch(
      /^#\d+ \S+ decision of stdio \(Fir, [^)]+\) keep\n {2}it$/,
    );
    expect(await server.call("audit_verify_chain")).toBe("valid: 1 records in 1 tasks checked");
    expect(await server.call("merkle_finalize")).toMatch(`root ${hash} over 1 records of `);
    expect(await server.call("merkle_root")).toMatch(`root ${hash} over 1 records of `);
    expect(await server.call("merkle_proof", { record_id: id })).toBe(`leaf ${hash}\nroot ${hash}`);
    expect(await server.call("merkle_finalize")).toMatch(/^ERR_ALREADY_FINALIZED: /);
  });
});
