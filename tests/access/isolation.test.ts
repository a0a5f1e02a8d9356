import { randomUUID } from "node:crypto";
import { isSessionOperation, MerkleError, type OperationName } from "@merkle/wire";
import { operations } from "@merkle/wire/schemas";
import { beforeAll, describe, expect, it } from "vitest";
import { buildValidInputs, type Subject, startSubject } from "../hostile/subject.js";
import { createCleanup } from "../kit/cleanup.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

/** The broker under test. The clients in another mesh know every id and credential in its main mesh. */
let subject: Subject;
let elsewhere: readonly TransportClient[];
const mesh = "elsewhere";

const cleanup = createCleanup();
beforeAll(async () => {
  subject = await startSubject(cleanup);
  const sql = connectTestDatabase(subject.broker.databaseUrl, cleanup);
  await sql`INSERT INTO meshes (mesh_id, name) VALUES (${randomUUID()}, ${mesh})`;
  elsewhere = await Promise.all(
    Object.values(brokerTransports).map((open) => open(subject.broker.url, { mesh })),
  );
  for (const transport of elsewhere) cleanup(transport.close);
});

async function codeOf(answer: Promise<unknown>): Promise<string> {
  return answer.then(
    () => "answered",
    (error: unknown) => (error instanceof MerkleError ? error.code : String(error)),
  );
}

// The cast is safe: each operation's name is its key in the catalogue.
const names = operations.map(({ name }) => name as OperationName);
const ofSessions = operations.filter(isSessionOperation).map(({ name }) => name as OperationName);
const withCredential = operations
  .filter((each) => !isSessionOperation(each) && each.access === "team")
  .map(({ name }) => name as OperationName);

describe("Another mesh", () => {
  it.each(ofSessions)(
    "[ISOLATION-1] %s finds no session of the first, by id or slug, over any transport",
    async (name) => {
      const before = await subject.readStored();
      for (const session_id of [subject.session_id, "mistreated"]) {
        const input = { ...buildValidInputs(subject)[name], session_id };
        for (const transport of elsewhere)
          expect(await codeOf(transport.callRaw(name, input)), transport.name).toBe("not_found");
      }
      expect(await subject.readStored()).toEqual(before);
    },
  );

  it.each(withCredential)("[ISOLATION-1] %s takes no credential of the first", async (name) => {
    const before = await subject.readStored();
    for (const transport of elsewhere) {
      expect(await codeOf(transport.callRaw(name, buildValidInputs(subject)[name])), transport.name).toBe(
        "unauthorized",
      );
    }
    expect(await subject.readStored()).toEqual(before);
  });

  it("[ISOLATION-1] nothing that any other operation answers holds an id, a name or a text of the first", async () => {
    const covered = new Set([...ofSessions, ...withCredential]);
    const changing = new Set(["create_session", "create_person", "update_settings", "test_connection"]);
    const others = names.filter((name) => !covered.has(name) && !changing.has(name));
    expect(others).toEqual(
      expect.arrayContaining(["list_sessions", "search", "list_memory", "list_attention"]),
    );
    for (const name of others) {
      const { team_id: _credential, ...input } = { team_id: "", ...buildValidInputs(subject)[name] };
      for (const transport of elsewhere) {
        const answer = JSON.stringify(await transport.callRaw(name, input).catch((error: unknown) => error));
        expect(answer).not.toContain(subject.session_id);
        expect(answer).not.toMatch(/Mistreated|before/);
      }
    }
  });

  it("[ISOLATION-2] slugs, memory numbers and names are each mesh's own", async () => {
    const [transport] = elsewhere;
    const again = await transport?.call("create_session", {
      title: "Mistreated",
      creator_team_name: "Birch",
    });
    expect(again).toMatchObject({ slug: "mistreated" });
    expect(again?.session_id).not.toBe(subject.session_id);
    const memory = await transport?.call("remember", { team_id: again?.team_id ?? "", content: "elsewhere" });
    expect(memory?.id).toBe("mem_1");
    const [main] = subject.transports;
    const listed = await main?.call("list_memory", { team_id: subject.team_id });
    expect(JSON.stringify(listed)).not.toContain("elsewhere");
  });

  it("[ISOLATION-3] a mesh that there is none of is answered 404 over every transport, before anything is done", async () => {
    const before = await subject.readStored();
    for (const [name, open] of Object.entries(brokerTransports)) {
      const answer = open(subject.broker.url, { mesh: "nowhere" }).then((transport) =>
        transport.call("list_sessions", {}),
      );
      expect(await codeOf(answer), name).toBe("not_found");
    }
    expect(await subject.readStored()).toEqual(before);
  });
});
