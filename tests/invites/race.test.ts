import { expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { countRounds } from "../kit/exhaustive.js";
import { startInviteBroker } from "../kit/members.js";
import { raceForInvites } from "./race.js";

const cleanup = createCleanup();

it("[INVITE-2] of many keys that redeem an invite of one use at once exactly one gets in, round after round", async () => {
  const { broker, admin } = await startInviteBroker(cleanup);
  const report = await raceForInvites(
    { url: broker.url, admin },
    { rounds: 2, callsPerRound: countRounds(200) },
  );
  expect(report).toMatchObject({ wrong: [], otherAnswers: {} });
});
