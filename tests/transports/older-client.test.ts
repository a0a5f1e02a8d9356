import { buildHeader, buildNumber } from "@merkle/wire";
import { findOperation } from "@merkle/wire/schemas";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { openHttpClient } from "../kit/http-client.js";
import { createTestSession } from "../kit/session.js";
import { getSharedBroker } from "../kit/test-broker.js";
import { brokerTransports } from "../kit/transports.js";

let url: string;
beforeAll(async () => {
  ({ url } = await getSharedBroker());
});

/** Creates a session with a peer that has reported its status, in the form that every transport returns. */
async function startSession() {
  const rest = await brokerTransports.rest(url);
  const { sessionId: session_id } = await createTestSession(rest);
  const { peer_id } = await rest.call("join_session", {
    session_id,
    team_name: "Birch",
    peer_name: "oak",
    summary: "Implementing auth UI",
  });
  const own = { session_id, team_id: peer_id ?? "" };
  await rest.call("set_status", { ...own, status: "working" });
  return { own, session_id };
}

const present = expect.stringMatching(/^(active|idle)$/);
const shown = {
  name: "oak",
  status: "working",
  presence: present,
  declared: { status: "working", reason: null },
  summary: "Implementing auth UI",
  summary_at: expect.stringMatching(/Z$/),
};
const older = { name: "oak", status: present, summary: { text: shown.summary, at: shown.summary_at } };

it("[PEER-8] list_peers has one shape at every transport", async () => {
  const { session_id } = await startSession();
  for (const open of Object.values(brokerTransports)) {
    const transport = await open(url);
    onTestFinished(() => transport.close());
    const { peers } = await transport.call("list_peers", { session_id });
    expect(peers[1], transport.name).toMatchObject(shown);
  }
});

it("[BUILD-6] list_peers gives older commands what they know, over REST and WebSocket", async () => {
  const { own, session_id } = await startSession();
  const client = openHttpClient();
  onTestFinished(client.close);
  const ask = async (headers: Record<string, string>) => {
    const { text } = await client.send(`${url}/api/sessions/${session_id}/peers`, { headers });
    return JSON.parse(text);
  };
  const before = await ask({ [buildHeader]: "8" });
  expect(before.peers[1]).toMatchObject(older);
  expect(before.peers[1]).not.toHaveProperty("presence");
  const now = await ask({ [buildHeader]: String(buildNumber) });
  expect(now.peers[1]).toMatchObject(shown);
  const { fromOutput } = findOperation("list_peers")?.older ?? {};
  expect(fromOutput?.(before)).toMatchObject({ peers: [{ summary: "", summary_at: null }, shown] });
  expect(fromOutput?.(now)).toBe(now);

  const overSocket = async (headers: Record<string, string>) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers });
    onTestFinished(() => socket.terminate());
    const reply = (id: number) =>
      new Promise<Record<string, unknown>>((resolve) =>
        socket.on("message", (data) => {
          const frame = JSON.parse(String(data));
          if (frame.id === id) resolve(frame.output);
        }),
      );
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const [subscribed, listed] = [reply(1), reply(2)];
    socket.send(JSON.stringify({ type: "subscribe", id: 1, kind: "inbox", ...own }));
    await subscribed;
    socket.send(JSON.stringify({ type: "request", id: 2, operation: "list_peers", input: own }));
    return listed;
  };
  // A client from before build numbers were introduced sends neither a build nor a name.
  expect(await overSocket({})).toMatchObject({ peers: [{}, older] });
  expect(await overSocket({ [buildHeader]: String(buildNumber) })).toMatchObject({ peers: [{}, shown] });
  expect(await overSocket({ "user-agent": "another" })).toMatchObject({ peers: [{}, shown] });
});
