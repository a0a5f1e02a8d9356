import { describe, expect, it } from "vitest";
import { brokerDoors } from "../kit/doors.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { tamperWithBundles } from "./tamper-campaign.js";
import { makeSqlVictim, tamperBySql } from "./tamper-sql.js";

/** In every run another one; a failure prints it. */
const seed = Date.now() % 2 ** 31;

describe("records that are tampered with", () => {
  it("[VERIFY-10] as bundles, in random ways: each is caught, and located", async () => {
    expect(await tamperWithBundles(60, seed), `seed ${seed}`).toEqual([]);
  });

  it("[VERIFY-10] by SQL, in some of the ways there are: what the broker then exports is caught, and located", async () => {
    const broker = await startTestBroker();
    const sql = connectTestDatabase(broker.databaseUrl);
    const victim = await makeSqlVictim(await brokerDoors.rest(broker.url), broker.url, sql);
    expect(await tamperBySql(victim, sql, { count: 7, seed }), `seed ${seed}`).toEqual([]);
  });
});
