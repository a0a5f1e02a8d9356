import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createLog, startBroker } from "@merkle/broker";
import postgres from "postgres";
import { describe, expect, inject, onTestFinished } from "vitest";
import { type TestMerkle, testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession } from "../kit/session.js";
import { itOnOneBroker, startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports } from "../kit/transports.js";

const script = fileURLToPath(new URL("../../docs/verify_record.py", import.meta.url));

/** Posts in a new session, and concludes it, so that the mesh's log gets a head. */
async function conclude(url: string, text: string): Promise<void> {
  const transport = await brokerTransports.rest(url);
  const { sessionId: session_id, convener: team_id, post } = await createTestSession(transport);
  await post(team_id, text);
  await transport.call("conclude_session", { session_id, team_id, summary_section: text });
}

/** Copies the database of a broker that is stopped. */
async function copyDatabase(url: string): Promise<string> {
  const { serverUrl } = inject("postgres");
  const name = new URL(url).pathname.slice(1);
  const admin = postgres(`${serverUrl}/postgres`, { max: 1 });
  onTestFinished(() => admin.end());
  await admin.unsafe(`CREATE DATABASE ${name}_copy TEMPLATE ${name}`);
  onTestFinished(async () => {
    await admin.unsafe(`DROP DATABASE IF EXISTS ${name}_copy WITH (FORCE)`);
  });
  return `${serverUrl}/${name}_copy`;
}

/** Starts another broker at the same address, with the same home and keys, on another database. */
async function startInPlace({ home, port }: TestBroker, databaseUrl: string): Promise<void> {
  const broker = await startBroker({ home, port, databaseUrl, log: createLog(() => undefined) });
  onTestFinished(() => broker.stop());
}

describe("an operator with the database and the broker's key, who shows two members two histories", () => {
  itOnOneBroker("it exchanges the database of one")(
    "[WITNESS-21] [WITNESS-24] [WITNESS-26] [WITNESS-30] [WITNESS-33] is found by a witness and by members who compare, with evidence that another program verifies offline",
    { tags: "python", timeout: 180_000 },
    async () => {
      const broker = await startTestBroker({}, onTestFinished, "the operator exchanges its database");
      const [ana, ben, ada] = await Promise.all([testMerkle(), testMerkle(), testMerkle()]);
      const run = (merkle: TestMerkle, ...args: string[]) =>
        merkle.run(args, { env: { MERKLE_URL: broker.url } });
      await conclude(broker.url, "Shown to everyone.");
      for (const member of [ana, ben]) expect(await run(member, "head")).toMatchObject({ code: 0 });
      const { stdout: key } = await run(ada, "witness", "key", "--name", "ada.example");
      expect(key).toMatch(/^ada\.example\+[0-9a-f]{8}\+\S+\n$/);
      const admin = await brokerTransports.rest(broker.url);
      const { person_id: team_id } = await makePerson(admin, "Operator");
      await admin.call("set_witness_policy", { policy: { least: 1, witnesses: [key.trim()] }, team_id });
      const witness = () => run(ada, "witness", "run", "--once", "--json");
      expect(await witness()).toMatchObject({ code: 0, stdout: expect.stringContaining('"cosigned"') });
      const policy = await run(ana, "witness", "policy");
      expect(policy.stdout).toContain(`witness ada.example ${key.trim()}\n`);
      await writeFile(join(ana.home, "policy.txt"), policy.stdout);
      const checkpoint = await (await fetch(new URL("/log/checkpoint", broker.url))).text();
      await writeFile(join(ana.home, "checkpoint.txt"), checkpoint);
      const files = ["checkpoint.txt", "policy.txt"].map((name) => join(ana.home, name));
      const verified = await promisify(execFile)("python3", [script, ...files]);
      expect(verified.stdout).toContain("cosigned by ada.example at ");
      const [checkpointFile = "", policyFile = ""] = files;
      expect(await run(ana, "verify", checkpointFile, "--policy", policyFile)).toMatchObject({ code: 0 });

      let copy = "";
      await broker.restartAfter(async () => {
        copy = await copyDatabase(broker.databaseUrl);
      });
      await conclude(broker.url, "Shown to Ana and the witness.");
      const head = await run(ana, "head", "--json");
      const { code } = JSON.parse(head.stdout);
      await writeFile(join(ben.home, "ana.json"), head.stdout);
      expect(await witness()).toMatchObject({ code: 0, stdout: expect.stringContaining('"cosigned"') });

      await broker.stop();
      await startInPlace(broker, copy);
      await conclude(broker.url, "Shown to Ben.");
      await conclude(broker.url, "And more.");
      // Ben alone sees nothing wrong.
      expect(await run(ben, "head")).toMatchObject({ code: 0 });

      expect(await witness()).toMatchObject({ code: 11, stdout: "" });
      expect(await run(ben, "head", "--compare", code)).toMatchObject({ code: 11 });
      const compared = await run(ben, "head", "--compare", join(ben.home, "ana.json"));
      expect(compared).toMatchObject({ code: 11, stderr: expect.stringContaining("TWO HISTORIES") });
      expect(await run(ana, "head")).toMatchObject({ code: 11 });

      for (const { home } of [ana, ben, ada]) {
        const [file = "none", ...others] = await readdir(join(home, "forks"));
        expect(others).toEqual([]);
        const { stdout } = await promisify(execFile)("python3", [script, join(home, "forks", file)]);
        expect(stdout).toMatch(/^FORK: two histories of merkle\//);
        expect(await run(ben, "verify", join(home, "forks", file))).toMatchObject({ code: 0 });
      }
    },
  );
});
