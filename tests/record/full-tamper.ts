import { describe, expect, it } from "vitest";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";
import { tamperByImport, tamperForPython, tamperWithBundles } from "./tamper-campaign.js";
import { makeSqlVictim, tamperBySql } from "./tamper-sql.js";

const seed = Number(process.env["TAMPER_SEED"] ?? Date.now() % 2 ** 31);
console.info(`TAMPER_SEED=${seed} does the same again`);

describe("2,000 tamperings with bundles, and 300 by SQL", () => {
  it("[VERIFY-10] none passes the verifier", { timeout: 1_800_000 }, async () => {
    expect(await tamperWithBundles(2_000, seed)).toEqual([]);
  });

  it("[VERIFY-10] none passes the verifier in another language", { timeout: 1_800_000 }, async () => {
    expect(await tamperForPython(2_000, seed)).toEqual([]);
  });

  it("[VERIFY-10] none is imported as the record that it says to be", { timeout: 3_600_000 }, async () => {
    const { url } = await startTestBroker();
    // An import mostly waits for a worker thread, so two imports in parallel take little longer than one.
    const halves = [seed, seed + 1].map((seed) => tamperByImport(url, { count: 1_000, seed }));
    expect((await Promise.all(halves)).flat()).toEqual([]);
  });

  it("[VERIFY-10] 300 by SQL, on a sealed session", { timeout: 600_000 }, async () => {
    const broker = await startTestBroker();
    const sql = connectTestDatabase(broker.databaseUrl);
    const victim = await makeSqlVictim(await brokerTransports.rest(broker.url), broker.url, sql);
    expect(await tamperBySql(victim, sql, { count: 300, seed })).toEqual([]);
  });
});
