import { openDatabase } from "@merkle/db";
import { beforeAll, describe, expect, it } from "vitest";
import { alone } from "../../../../../tests/kit/alone.js";
import { createCleanup } from "../../../../../tests/kit/cleanup.js";
import { makePerson } from "../../../../../tests/kit/persons.js";
import { createTestSession } from "../../../../../tests/kit/session.js";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { connectTestDatabase } from "../../../../../tests/kit/test-database.js";
import { type TransportClient, transports } from "../../../../../tests/kit/transports.js";
import { createLog } from "../../core/log.js";
import { loadSettings } from "../../core/settings-store.js";
import { hooks } from "../../features.js";
import { createMeshChannels } from "../../feed/delivery/mesh-channel.js";
import { createQuotas } from "../../identity/limits/quotas.js";
import { startPresence } from "../../sessions/peers/presence.js";
import { createAttentionPoll } from "./attention-poll.js";
import { deleteSettledDismissals } from "./put-away.js";

let transport: TransportClient;
let sql: ReturnType<typeof connectTestDatabase>;
let services: Parameters<typeof createAttentionPoll>[0];

const cleanup = createCleanup();
beforeAll(async () => {
  const broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
  const database = await openDatabase({ target: broker.databaseUrl });
  cleanup(database.close);
  const presence = startPresence({ ...alone, database, log: createLog(() => undefined) });
  cleanup(presence.stop);
  const channels = createMeshChannels(async () => database.meshId, alone.bus);
  cleanup(async () => channels.stop());
  const mesh = channels.get(database.meshId);
  const quotas = createQuotas(database);
  services = {
    ...alone,
    database,
    presence,
    quotas,
    settings: await loadSettings(database, {}),
    mesh,
    hooks,
  };
});

async function ask(session: Awaited<ReturnType<typeof createTestSession>>, text: string): Promise<number> {
  const { sessionId: session_id, convener: team_id } = session;
  return (await transport.call("post_message", { session_id, team_id, content: { text, kind: "ask" } }))
    .cursor;
}

/** Inserts a failed job about a file. */
async function failFileJob(number: number): Promise<void> {
  const { meshId } = services.database;
  await sql`INSERT INTO jobs (mesh_id, number, kind, root, path, persona_name, started_by, status, failure, created_at, started_at, completed_at)
    VALUES (${meshId}, ${number}, 'perspective', 'docs', ${`${number}.md`}, 'newcomer', 'Ana', 'failed', 'lost', now(), now(), now())`;
}

describe("Looking after what waits", () => {
  it("[MESH-2] a look tells of sessions where something has begun or ended to wait by itself, and of no others", async () => {
    const [old, fresh] = [await createTestSession(transport), await createTestSession(transport)];
    await old.post(old.convener, "hello");
    const look = createAttentionPoll(services);
    await look();
    const told: unknown[] = [];
    const stop = services.mesh.watch({
      sink: {
        isReady: true,
        room: Number.POSITIVE_INFINITY,
        write: (frame) => told.push(JSON.parse(frame.toString("utf8", frame.indexOf("{")))),
        onDrain: () => () => undefined,
      },
      personId: null,
      cutOff: () => expect.unreachable("It reads."),
    });
    await look();
    const of = (kind: string, session_id: string | null) => ({ type: "mesh_changed", kind, session_id });
    expect(told, "what changed before the first look is not known").toEqual([
      of("attention", null),
      of("sessions", null),
    ]);
    await sql`UPDATE feeds SET last_posted_at = now() - interval '11 minutes' WHERE session_id = ${old.sessionId}`;
    await look();
    expect(told.slice(2)).toEqual([of("attention", old.sessionId), of("sessions", old.sessionId)]);
    await look();
    expect(told).toHaveLength(4);
    await ask(fresh, "Which?");
    await look();
    expect(told.slice(4)).toEqual([of("attention", fresh.sessionId), of("sessions", fresh.sessionId)]);
    await failFileJob(1);
    await look();
    await expect.poll(() => told.slice(6)).toEqual([of("attention", null), of("sessions", null)]);
    stop();
  });

  it("[ATT-8] what was put away is forgotten with its fact, and a snooze when it is over", async () => {
    const session = await createTestSession(transport);
    const { person_id: team_id } = await makePerson(transport, "Ana");
    const [answered, open, snoozed] = [
      await ask(session, "one?"),
      await ask(session, "two?"),
      await ask(session, "three?"),
    ];
    const idOf = (sequence: number) => `ask:${session.sessionId}:${sequence}`;
    for (const sequence of [answered, open]) {
      await transport.call("dismiss_attention", { id: idOf(sequence), team_id });
    }
    const until = new Date(Date.now() + 60_000).toISOString();
    await transport.call("dismiss_attention", { id: idOf(snoozed), until, team_id });
    const listRemaining = async () => {
      await deleteSettledDismissals(services);
      const rows = await sql<{ item: string }[]>`SELECT item FROM dismissals ORDER BY item`;
      return rows.map(({ item }) => item);
    };
    for (const number of [2, 3]) {
      await failFileJob(number);
      await transport.call("dismiss_attention", { id: `job_failed:file:${number}`, team_id });
    }
    const ofFiles = [2, 3].map((number) => `job_failed:file:${number}`);
    expect(await listRemaining()).toEqual([...[answered, open, snoozed].map(idOf), ...ofFiles]);
    const { sessionId: session_id, convener } = session;
    const declare = { session_id, team_id: convener, status: "blocked", reason: "needs an answer" } as const;
    await transport.call("set_status", declare);
    expect(await listRemaining(), "an ask is still open as part of its blocked peer").toHaveLength(5);
    await sql`DELETE FROM jobs WHERE number = 3`;
    await sql`UPDATE dismissals SET until = now() WHERE item = ${idOf(snoozed)}`;
    await transport.call("post_message", {
      session_id: session.sessionId,
      team_id,
      reply_to: answered,
      content: { text: "yes", answer: "yes" },
    });
    expect(await listRemaining()).toEqual([idOf(open), "job_failed:file:2"]);
  });
});
