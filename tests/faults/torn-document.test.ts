import { inspectDatabase } from "@merkle/broker";
import { expect } from "vitest";
import { createTestSession } from "../kit/session.js";
import { itOnOneBroker, startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { transports } from "../kit/transports.js";
import { findTornRows } from "./row-checker.js";

itOnOneBroker("a start of all nodes repairs once")(
  "[DB-41] a start sets a document that differs from its history to its newest version, says so, and it can be written again",
  async () => {
    const broker = await startTestBroker();
    const transport = await transports.rest(broker.url);
    const whole = await createTestSession(transport);
    const torn = await createTestSession(transport);
    const append = ({ sessionId: session_id, convener: team_id }: typeof torn, text: string) =>
      transport.call("append_to_session_doc", { session_id, team_id, text });
    await append(whole, "one");
    await append(torn, "one");
    const sql = connectTestDatabase(broker.databaseUrl);
    // In earlier versions, a lost connection could leave rows in this state.
    await sql`
      INSERT INTO document_versions (session_id, version, content, written_by_team_id, written_by, written_at, after_sequence)
      SELECT session_id, version + 1, E'one\ntwo', written_by_team_id, written_by, now(), after_sequence
      FROM document_versions WHERE session_id = ${torn.sessionId}`;
    expect(await findTornRows(sql)).toMatchObject([{ table: "documents", row: torn.sessionId }]);
    const { home, databaseUrl } = broker;
    expect((await inspectDatabase({ home, databaseUrl })).tornDocuments).toEqual([torn.slug]);

    await broker.restart();
    expect(await findTornRows(sql)).toEqual([]);
    const told = broker.logged.filter((line) => line.includes("differed from its history"));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(torn.slug);
    expect(await append(torn, "three")).toMatchObject({ version: 3 });
    expect(await append(whole, "two")).toMatchObject({ version: 2 });
    const doc = await transport.call("read_session_doc", { session_id: torn.sessionId });
    expect(doc.content).toBe("one\ntwo\nthree");
  },
);
