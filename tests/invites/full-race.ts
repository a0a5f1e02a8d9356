import { expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { startInviteBroker } from "../kit/members.js";
import { raceForInvites } from "./race.js";

const cleanup = createCleanup();

it(
  "[INVITE-2] in a hundred rounds, of two hundred keys that redeem an invite of one use at once exactly one gets in",
  async () => {
    const { broker, admin } = await startInviteBroker(cleanup);
    const report = await raceForInvites({ url: broker.url, admin }, { rounds: 100, callsPerRound: 200 });
    console.info(JSON.stringify(report, null, 2));
    expect(report).toMatchObject({ wrong: [], otherAnswers: {} });
  },
  15 * 60_000,
);
