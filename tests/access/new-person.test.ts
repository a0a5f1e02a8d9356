import { createHash, randomBytes, randomUUID } from "node:crypto";
import { derivePersonCredential, newPersonHeader } from "@merkle/wire/identity";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson, readHomeKey } from "../kit/persons.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

const cleanup = createCleanup();
let broker: TestBroker;
let rest: TransportClient;
let database: ReturnType<typeof connectTestDatabase>;

beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  database = connectTestDatabase(broker.databaseUrl, cleanup);
  rest = await brokerTransports.rest(broker.url);
});

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();
const draw = () => derivePersonCredential(randomBytes(32).toString("base64url"), sha256);

interface Write {
  readonly credential: string;
  readonly name?: string;
  readonly code?: string;
}

/** Sends a write request with a header that also creates the person who sends it. */
async function write(path: string, body: object, { credential, name = "Ana", code }: Write) {
  const response = await fetch(`${broker.url}/api${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-team-id": credential,
      [newPersonHeader]: new URLSearchParams({ name, ...(code && { code }) }).toString(),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function makeSession() {
  return rest.call("create_session", { title: "First writes", creator_team_name: "Atlas" });
}

const post = (slug: string, more: object = {}) =>
  [`/sessions/${slug}/messages`, { content: { text: "Here." }, ...more }] as const;

async function doesPersonExist(credential: string): Promise<boolean> {
  const [row] = await database`SELECT 1 FROM persons WHERE person_id = ${credential.slice(0, 36)}`;
  return row !== undefined;
}

describe("a person whom its own first write makes", () => {
  it("[PERSON-15] is there with that write and its team, and not when the write is refused", async () => {
    const { slug } = await makeSession();
    const credential = draw();
    for (const [path, body] of [
      post(slug, { to: "Nobody" }),
      post(slug, { reply_to: 99 }),
      post("no-such-session"),
      ["/sessions", { title: "" }] as const,
    ]) {
      expect((await write(path, body, { credential })).status).toBeGreaterThanOrEqual(400);
      expect(await doesPersonExist(credential)).toBe(false);
    }
    expect((await write(...post(slug), { credential })).status).toBe(200);
    expect(await rest.call("get_person", { team_id: credential })).toMatchObject({
      person_id: credential.slice(0, 36),
      name: "Ana",
      verified: false,
    });
    const { participants } = await rest.call("list_participants", { session_id: slug });
    expect(participants.map(({ team_name, kind }) => [team_name, kind])).toEqual([
      ["Atlas", "agent"],
      ["Ana", "guest"],
    ]);
  });

  it("[PERSON-15] is made once, however many first writes come at once, and by a write of no session, too", async () => {
    const { slug } = await makeSession();
    const credential = draw();
    const posted = await Promise.all([1, 2, 3, 4].map(() => write(...post(slug), { credential })));
    expect(posted.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { messages } = await rest.call("get_history", { session_id: slug });
    expect(messages.filter(({ content }) => content["event"] === "team_joined")).toHaveLength(1);
    const other = draw();
    const made = await write("/sessions", { title: "Of a new person" }, { credential: other });
    expect(made.status).toBe(200);
    expect(await doesPersonExist(other)).toBe(true);
    const reader = draw();
    expect(await write(`/sessions/${slug}/ack`, { cursor: 1 }, { credential: reader })).toMatchObject({
      status: 200,
      body: { cursor: 1 },
    });
    expect(await doesPersonExist(reader)).toBe(true);
    const key = randomUUID();
    const third = draw();
    const keyed = post(slug, { idempotency_key: key });
    const [first, again] = [
      await write(...keyed, { credential: third }),
      await write(...keyed, { credential: third }),
    ];
    expect(again).toEqual(first);
  });

  it("[PERSON-15] [PERSON-10] is verified by a code that is good, which a refused write does not use up", async () => {
    const { slug } = await makeSession();
    const home_key = await readHomeKey(broker.url);
    const { code } = await rest.call("create_verification_code", { home_key });
    const credential = draw();
    const hold = [`/sessions/${slug}/hold`, { reason: "Look first." }] as const;
    const forged = await write(...hold, { credential, code: `mkv_${randomBytes(32).toString("base64url")}` });
    expect(forged).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining("link is not valid") } },
    });
    expect((await write(...hold, { credential })).status).toBe(403);
    expect((await write(...post(slug, { to: "Nobody" }), { credential, code })).status).toBe(404);
    expect((await write(...hold, { credential, code })).status).toBe(200);
    expect(await rest.call("get_person", { team_id: credential })).toMatchObject({ verified: true });
    expect((await write(...hold, { credential: draw(), code })).status).toBe(403);
  });

  it("[PERSON-15] [PERSON-12] chooses neither its uuid nor the name of a verified one, and reads as nobody before", async () => {
    const { slug, team_id } = await makeSession();
    const { person_id } = await makePerson(rest, "Owner");
    const secret = randomBytes(32).toString("base64url");
    for (const id of [randomUUID(), team_id.slice(0, 36), person_id.slice(0, 36)]) {
      expect((await write(...post(slug), { credential: `${id}.mk_${secret}` })).status).toBe(401);
    }
    const guest = draw();
    expect((await write(...post(slug), { credential: guest, name: "owner" })).status).toBe(200);
    expect(await rest.call("get_person", { team_id: guest })).toMatchObject({ name: "owner (2)" });
    expect((await write(...post(slug), { credential: draw(), name: " " })).status).toBe(400);
    const reading = draw();
    const response = await fetch(`${broker.url}/api/sessions/${slug}/doc`, {
      headers: { "x-team-id": reading, [newPersonHeader]: "name=Ana" },
    });
    expect(response.status).toBe(401);
    expect(await doesPersonExist(reading)).toBe(false);
  });
});
