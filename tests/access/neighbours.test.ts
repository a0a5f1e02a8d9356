import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { request, sendRaw } from "../hostile/raw-http.js";
import { openRawSocket } from "../hostile/raw-socket.js";
import { createCleanup } from "../kit/cleanup.js";
import { joinMesh, startInviteBroker, type TestMember } from "../kit/members.js";
import type { TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";

/**
 * The number of failed attempts from one address. Everyone in an office shares an address, so valid proofs must still
 * be accepted afterwards.
 */

const wrongTries = 110;
const json = "Content-Type: application/json";
const never = 0.001;

const token = (mark: string) => `${mark}${randomBytes(32).toString("base64url")}`;

describe("behind an address from which wrong proofs of every kind came", () => {
  let broker: TestBroker;
  let admin: TestMember;
  let observerSecret = "";
  let signedInBy: readonly string[] = [];
  let job = "";
  const cleanup = createCleanup();

  function ask(line: string, headers: readonly string[] = [], body?: object) {
    const text = body === undefined ? "" : JSON.stringify(body);
    const about = body === undefined ? [] : [json, `Content-Length: ${text.length}`];
    return sendRaw(
      broker.port,
      request(line, [`Host: 127.0.0.1:${broker.port}`, ...headers, ...about], text),
    );
  }

  const fromPage = () => `Origin: http://127.0.0.1:${broker.port}`;
  const bearer = (text: string) => `Authorization: Bearer ${text}`;
  const list = async (...headers: string[]) => (await ask("GET /api/sessions", headers)).status;
  const signIn = (secret: string) => ask("POST /api/sign-in", [fromPage()], { secret });
  const preview = async (invite: string) => (await ask("POST /api/invites/preview", [], { invite })).status;

  async function hello(proof: object): Promise<unknown> {
    const socket = await openRawSocket(broker.port, [`Host: 127.0.0.1:${broker.port}`]);
    socket.send({ type: "hello", id: 1, proof });
    const reply = await socket.replyTo(1);
    socket.end();
    return Object(reply["error"]).code ?? "let in";
  }

  const signInSecret = async () => {
    const { link } = await admin.call("issue_token", { kind: "sign_in" });
    return link?.split("#")[1] ?? "";
  };

  beforeAll(async () => {
    ({ broker, admin } = await startInviteBroker(cleanup, {
      rateLimits: { failed_proof: { per_second: never, burst: 3 }, upgrade: { per_second: 50, burst: 500 } },
    }));
    const { session_id } = await admin.call("create_session", { title: "Ours", creator_team_name: "Birch" });
    const { link } = await admin.call("create_observer_link", { session_id });
    observerSecret = link.split("#observe=")[1] ?? "";
    const signedIn = await signIn(await signInSecret());
    const cookie = /^set-cookie: ([^;]+)/im.exec(signedIn.headers)?.[1] ?? "";
    signedInBy = [`Cookie: ${cookie}`, `X-Merkle-Page: ${JSON.parse(signedIn.body).page_token}`];
    job = token("mkj_");
    const sql = connectTestDatabase(broker.databaseUrl, cleanup);
    await sql`INSERT INTO jobs (mesh_id, number, kind, session_id, started_by, status, created_at, started_at, runner, fence, lease_until, secret_hash)
      SELECT mesh_id, 900000, 'conclude', session_id, 'Birch', 'running', now(), now(), 'elsewhere', 1, now() + interval '1 hour', sha256(${job}::bytea)
      FROM sessions WHERE session_id = ${session_id}`;
  });

  it("[GUARD-7] each wrong one is told that it is wrong, however many there are", async () => {
    const wrong: readonly (() => Promise<unknown>)[] = [
      () => list(bearer(token("mkt_"))),
      () => list(bearer(token("mkj_"))),
      () => list(`Cookie: merkle_session=${token("mkb_")}`, `X-Merkle-Page: ${token("")}`),
      async () => (await signIn(token("mks_"))).status,
      () => hello({ kind: "bearer", token: token("mkt_") }),
      () => hello({ kind: "ticket", ticket: token("mkw_") }),
      () => preview(randomBytes(16).toString("base64url")),
    ];
    for (let n = 0; n < wrongTries; n += 10) {
      const tried = Array.from({ length: 10 }, (_, k) => wrong[(n + k) % wrong.length]?.());
      // Each wrong proof gets the usual error, regardless of the number of earlier failed attempts.
      for (const answer of await Promise.all(tried)) expect([401, 404, "unauthorized"]).toContain(answer);
    }
  });

  const proofs: Readonly<Record<string, () => Promise<unknown>>> = {
    "a token that was never seen": async () => list(bearer((await admin.call("issue_token", {})).token)),
    "a token in a hello": async () =>
      hello({ kind: "bearer", token: (await admin.call("issue_token", {})).token }),
    "an observer's link": async () => (await signIn(observerSecret)).status,
    "a signed-in dashboard": () => list(...signedInBy),
    "a dashboard's ticket": async () => {
      const { body } = await ask("POST /api/tickets", [fromPage(), ...signedInBy]);
      return hello({ kind: "ticket", ticket: JSON.parse(body).ticket });
    },
    "a sign-in link": async () => (await signIn(await signInSecret())).status,
    "the agent of a job": async () => (await ask("GET /api/agent/jobs/900000", [bearer(job)])).status,
    "an invite, and a signed hello": async () => {
      const { link } = await admin.call("create_invite", {});
      const joined = await joinMesh(broker.url, { invite: link, name: "Cedar" }, cleanup);
      await joined.call("list_sessions", {});
      return "let in";
    },
  };

  it.each(Object.entries(proofs))("[GUARD-7] %s is let in", async (_kind, prove) => {
    expect([200, "let in"]).toContain(await prove());
  });

  it("[GUARD-7] codes that are short enough to be guessed are tried no more once too many were wrong, links are", async () => {
    const { link, code } = await admin.call("create_invite", { code: true });
    for (let n = 0; n < 3; n += 1) expect(await preview(`900-AAAA-AAA${n}`)).toBe(404);
    expect(await preview("900-AAAA-AAAA")).toBe(429);
    expect(await preview(code ?? "")).toBe(429);
    expect(await preview(link.split("#")[1] ?? "")).toBe(200);
  });

  it("[GUARD-4] [GUARD-5] who has proved themselves is served although neighbours have used up what the address may ask", async () => {
    const busy = await startInviteBroker(cleanup, {
      rateLimits: { address: { per_second: never, burst: 60 } },
    });
    const { token } = await busy.admin.call("issue_token", {});
    const list = (...headers: string[]) =>
      sendRaw(
        busy.broker.port,
        request("GET /api/sessions", [`Host: 127.0.0.1:${busy.broker.port}`, ...headers]),
      );
    expect((await list(bearer(token))).status).toBe(200);
    const statuses = new Set<number>();
    for (let n = 0; n < 60; n += 1) statuses.add((await list()).status);
    expect([...statuses]).toEqual([401, 429]);
    expect((await list(bearer(token))).status).toBe(200);
    await busy.admin.call("list_sessions", {});
  });
});
