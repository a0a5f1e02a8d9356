import { MerkleError } from "@merkle/wire";
import { answerHello, drawSeed } from "@merkle/wire/identity";
import { deriveSigningKey } from "@merkle/wire/keys";
import { limits } from "@merkle/wire/limits";
import { operations } from "@merkle/wire/schemas";
import type postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { buildValidInputs, createSampleSession } from "../hostile/subject.js";
import { joinMesh, type TestMember } from "../kit/members.js";
import { makePerson } from "../kit/persons.js";
import { expectFailure } from "../kit/session.js";
import { startOneBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase, createTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";

/**
 * The driver closes each connection after 30 to 60 minutes, and a server may close one at any time. These tests close
 * all connections at the same time. Every operation must work afterwards.
 */

it("[DB-37] every operation is served after all database connections of a broker ended", async () => {
  const { nodes, sql } = await startNodesOnce(1);
  await callEachOnce(nodes, sql);
});

it("[DB-37] every operation is served by two nodes after all their database connections ended", async () => {
  const { nodes, sql } = await startNodesOnce(2);
  await callEachOnce(nodes, sql);
});

it("[DB-37] every operation is served although all database connections end just before it", {
  tags: "long",
  timeout: 20 * 60_000,
}, async () => {
  const { nodes, sql } = await startNodesOnce(1);
  const client = await brokerTransports.rest(nodes[0].url);
  const failed = await callEach(await createSampleSession(client), async (name, input) => {
    await endConnections(sql);
    return client.callRaw(name, input);
  });
  expect(failed).toEqual([]);
});

it("[DB-37] [QUOTA-1] quotas that are set after all connections ended are stored, returned and enforced", async () => {
  const { nodes, sql } = await startNodesOnce(2);
  const clients = await Promise.all(nodes.map(({ url }) => brokerTransports.rest(url)));
  let used = 0;
  for (const client of clients) {
    const create = () => client.call("create_session", { title: "One", creator_team_name: "Birch" });
    const { person_id: team_id } = await makePerson(client, "Ana");
    await create();
    used += 1;
    await endConnections(sql);
    expect(await client.call("set_quotas", { mesh: "main", sessions: used + 1, team_id })).toEqual({
      mesh: "main",
      quotas: [{ kind: "sessions", max: used + 1, used }],
    });
    await create();
    used += 1;
    expect(await expectFailure(create())).toMatchObject({
      code: "forbidden",
      details: { quota: "sessions" },
    });
    await client.call("set_quotas", { mesh: "main", sessions: 0, team_id });
  }
});

it("[DB-37] [ENTER-3] members sign in by key at each node after all connections ended", async () => {
  const { nodes, sql } = await startNodesOnce(2, { auth: "invite", rateLimits: "off" });
  const invite = nodes[0].broker.firstInvite ?? "";
  const admin = await joinMesh(nodes[0].url, { invite, name: "Ana" }, onTestFinished);
  await endConnections(sql);
  for (const node of nodes) expect(await signInByKey(node, admin)).toBe(200);
});

type Nodes = readonly [TestBroker, ...TestBroker[]];

async function startNodesOnce(
  count: number,
  options: Parameters<typeof startOneBroker>[0] = { rateLimits: "off" },
): Promise<{ nodes: Nodes; sql: postgres.Sql }> {
  const databaseUrl = await createTestDatabase();
  const place = { ...options, databaseUrl, ...(count > 1 && { bus: "postgres" }) };
  const first = await startOneBroker(place, onTestFinished);
  const nodes: [TestBroker, ...TestBroker[]] = [first];
  while (nodes.length < count) nodes.push(await startOneBroker(place, onTestFinished));
  return { nodes, sql: connectTestDatabase(databaseUrl) };
}

/** Ends every database connection except the test's own. Resolves when the server has closed them. */
async function endConnections(sql: postgres.Sql): Promise<void> {
  const ended = await sql`
    SELECT pg_terminate_backend(pid, 10000) AS ended FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
  expect(ended.length).toBeGreaterThan(0);
}

/** Ends all connections, and then calls every operation on every node. */
async function callEachOnce(nodes: Nodes, sql: postgres.Sql): Promise<void> {
  const clients = await Promise.all(nodes.map(({ url }) => brokerTransports.rest(url)));
  const places = await Promise.all(clients.map(createSampleSession));
  await endConnections(sql);
  for (const [index, client] of clients.entries()) {
    const place = places[index];
    if (!place) throw new Error("A node has no place.");
    expect(await callEach(place, client.callRaw)).toEqual([]);
  }
  for (const { url, logged } of nodes) {
    expect(logged.filter((line) => line.includes("CONNECTION_ENDED"))).toEqual([]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
      durable: true,
      degraded: false,
      failing_tasks: [],
    });
  }
}

/** Operations that end the caller's team or session, so they are called last. */
const endings = ["rotate_team_credential", "leave_session", "conclude_session"];

/** Calls every operation and returns the operations that failed. A refusal such as 404 counts as a reply. */
async function callEach(
  place: Parameters<typeof buildValidInputs>[0],
  call: (name: string, input: unknown) => Promise<unknown>,
): Promise<string[]> {
  const failed: string[] = [];
  const names = operations.map(({ name }) => name).filter((name) => !endings.includes(name));
  const inputs: Readonly<Record<string, unknown>> = buildValidInputs(place);
  for (const name of [...names, ...endings]) {
    try {
      await callInTime(() => call(name, inputs[name]));
    } catch (error) {
      if (error instanceof MerkleError && error.status < 500) continue;
      failed.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return failed;
}

/** Repeats a call if the broker gave up at its time limit (FEED-7), as can happen on a busy machine. */
async function callInTime<Output>(call: () => Promise<Output>): Promise<Output> {
  const began = performance.now();
  try {
    return await call();
  } catch (error) {
    if (performance.now() - began < limits.unknownOutcomeMsMax) throw error;
    return callInTime(call);
  }
}

async function signInByKey({ url }: TestBroker, member: TestMember): Promise<number> {
  const greeting = await (await fetch(`${url}/api/sign-in`)).json();
  const proof = answerHello(greeting, {
    brokerId: member.broker_id,
    meshId: member.mesh_id,
    memberKey: member.memberKey,
    sessionKey: deriveSigningKey(drawSeed()),
    label: "a browser",
    session: null,
    url,
  });
  const response = await fetch(`${url}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ proof }),
  });
  return response.status;
}
