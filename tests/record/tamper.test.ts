import { describe, expect, it } from "vitest";
import { countRounds } from "../kit/exhaustive.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";
import { tamperByImport, tamperForPython, tamperWithBundles } from "./tamper-campaign.js";
import { makeSqlVictim, tamperBySql } from "./tamper-sql.js";

/** Each run uses a new seed, which failures print. */
const seed = Date.now() % 2 ** 31;

describe("records that are tampered with", () => {
  it("[VERIFY-10] as bundles, in random ways, signed anew or not: each is caught, and located", async () => {
    expect(await tamperWithBundles(80, seed), `seed ${seed}`).toEqual([]);
  });

  it("[VERIFY-10] so it is by the verifier in another language", { tags: "python" }, async () => {
    expect(await tamperForPython(25, seed), `seed ${seed}`).toEqual([]);
  });

  it("[VERIFY-10] by import, and by SQL in some of the ways there are: none is taken for the record, and what the broker exports is caught", async () => {
    const broker = await startTestBroker();
    expect(await tamperByImport(broker.url, { count: 8, seed }), `seed ${seed}`).toEqual([]);
    const sql = connectTestDatabase(broker.databaseUrl);
    const victim = await makeSqlVictim(await brokerTransports.rest(broker.url), broker.url, sql);
    expect(await tamperBySql(victim, sql, { count: countRounds(3), seed }), `seed ${seed}`).toEqual([]);
  });
});
