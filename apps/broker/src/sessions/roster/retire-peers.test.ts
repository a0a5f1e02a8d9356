import { openDatabase } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import { expect, it, onTestFinished } from "vitest";
import { alone } from "../../../../../tests/kit/alone.js";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { connectTestDatabase } from "../../../../../tests/kit/test-database.js";
import { transports } from "../../../../../tests/kit/transports.js";
import { createLog } from "../../core/log.js";
import { createMetrics } from "../../core/metrics.js";
import { startChannels } from "../../feed/delivery/channels.js";
import { createMeshChannels } from "../../feed/delivery/mesh-channel.js";
import { createCredentials } from "../access/credentials.js";
import { holdPeer } from "../peers/peer.js";
import { startPresence } from "../peers/presence.js";
import { retirePeers } from "./retire-peers.js";

it("[PEER-10] a named peer that was not seen for 7 days is retired, unless a connection holds it", async () => {
  const broker = await startTestBroker();
  const transport = await transports.rest(broker.url);
  const { session_id, team_id } = await transport.call("create_session", {
    title: "Retired",
    creator_team_name: "Birch",
  });
  const join = async (peer_name: string) =>
    (await transport.call("join_session", { session_id, team_name: "Birch", team_id, peer_name })).peer_id ??
    "";
  const [unseen, held, seen] = [await join("unseen"), await join("held"), await join("seen")];
  const sql = connectTestDatabase(broker.databaseUrl);
  // The peer `seen` was last seen one minute less than the limit ago, and the other peers one minute more.
  await sql`
    UPDATE peers SET last_seen_at = now() - make_interval(
      days => ${limits.peerRetiredAfterDays}, secs => CASE name WHEN 'seen' THEN -60 ELSE 60 END)`;

  const database = await openDatabase({ target: broker.databaseUrl });
  onTestFinished(() => database.close());
  const log = createLog(() => undefined);
  const presence = startPresence({ ...alone, database, log });
  onTestFinished(() => presence.stop());
  const credentials = createCredentials({ ...alone, database, presence });
  const channels = startChannels({
    database,
    bus: alone.bus,
    mesh: createMeshChannels(async () => database.meshId, alone.bus),
    metrics: createMetrics(),
    log,
  });
  onTestFinished(() => channels.stop());
  const callers = [unseen, held, seen, team_id].map((each) => credentials.verify(session_id, each));
  const peers = (await Promise.all(callers)).map((caller) => caller?.team?.peer);
  const connection = { connection: {}, nudge: async () => [], replace: () => undefined };
  if (peers[1]) holdPeer(peers[1], connection);

  await retirePeers({ ...alone, database, presence, channels, invalidateCredential: credentials.invalidate });
  const leftAt = async (credential: string) =>
    (await credentials.verify(session_id, credential))?.team?.leftAt ?? null;
  expect(await leftAt(unseen)).toEqual(expect.any(Date));
  for (const there of [held, seen, team_id]) expect(await leftAt(there)).toBeNull();
  expect(await join("unseen"), "its name is free").not.toBe(unseen);
  const back = await transport.call("join_session", { session_id, team_name: "Birch", team_id: unseen });
  expect(back).toMatchObject({ peer_name: "unseen-2", resumed: true });
});
