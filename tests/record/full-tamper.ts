import { describe, expect, it } from "vitest";
import { brokerDoors } from "../kit/doors.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { tamperWithBundles } from "./tamper-campaign.js";
import { makeSqlVictim, tamperBySql } from "./tamper-sql.js";

const seed = Number(process.env["TAMPER_SEED"] ?? Date.now() % 2 ** 31);
console.info(`TAMPER_SEED=${seed} does the same again`);

describe("a thousand tamperings", () => {
  it("[VERIFY-10] 700 with bundles", { timeout: 600_000 }, async () => {
    expect(await tamperWithBundles(700, seed)).toEqual([]);
  });

  it("[VERIFY-10] 300 by SQL, on a sealed session", { timeout: 600_000 }, async () => {
    const broker = await startTestBroker();
    const sql = connectTestDatabase(broker.databaseUrl);
    const victim = await makeSqlVictim(await brokerDoors.rest(broker.url), broker.url, sql);
    expect(await tamperBySql(victim, sql, { count: 300, seed })).toEqual([]);
  });
});
