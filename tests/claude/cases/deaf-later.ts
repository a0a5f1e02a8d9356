import { expect, it, onTestFinished } from "vitest";
import { brokerTransports } from "../../kit/transports.js";
import { reconnect, startAgent } from "../kit/agent.js";
import { compact, rewind } from "../kit/conversation.js";
import { killInTurn } from "../kit/long-tool.js";
import { startMesh } from "../kit/mesh.js";
import { countShown, listLetters } from "../kit/shown.js";

it.each([
  ["/compact", compact],
  ["/rewind", rewind],
] as const)(
  "[WAKE-15] after %s, too, an agent whose server was killed during a turn gets its mail in order",
  async (_, change) => {
    const mesh = await startMesh(onTestFinished);
    const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
    await birch.prompt("say hello");
    await birch.rests();
    await killInTurn(birch);
    const before = await mesh.write("Birch");
    await birch.model.waitFor(before.letter);
    await birch.rests();
    await change(birch);

    const letters: string[] = [];
    for (let count = 1; count <= 2; count += 1) {
      letters.push((await mesh.write("Birch")).letter);
      await birch.model.waitFor(letters.at(-1) ?? "");
      await birch.rests();
    }
    await reconnect(birch);
    letters.push((await mesh.write("Birch")).letter);
    await birch.model.waitFor(letters.at(-1) ?? "");
    await birch.rests();
    const shown = listLetters(birch.model.conversation).filter((letter) => letter !== before.letter);
    expect([...new Set(shown)]).toEqual(letters);
    for (const { unmarked } of countShown(birch.model.conversation).values())
      expect(unmarked).toBeLessThan(2);
  },
  300_000,
);

it("[WAKE-15] [STDIO-7] an agent in two sessions whose server was killed during a turn has both again when it is reconnected", async () => {
  const mesh = await startMesh(onTestFinished);
  const transport = await brokerTransports.rest(mesh.url);
  onTestFinished(() => transport.close());
  const session_id = "other";
  const { team_id } = await transport.call("create_session", {
    ...{ title: "Other", slug: session_id, creator_team_name: "Oak" },
  });
  const birch = await startAgent({ mesh, team: "Birch" }, onTestFinished);
  const where = JSON.stringify({ session_id, team_name: "Birch", peer_name: "atlas" });
  await birch.prompt(`call mcp__merkle__join_session ${where} then say joined`);
  await birch.rests();
  await killInTurn(birch);
  const { letter } = await mesh.write("Birch");
  await birch.model.waitFor(letter);
  await birch.rests();
  const peer = async () => {
    const { peers } = await transport.call("list_peers", { session_id });
    return peers.find(({ team }) => team === "Birch");
  };
  await transport.call("post_message", { session_id, team_id, to: "Birch", content: { text: "elsewhere" } });
  // The `merkle launch` process acts only for the peer that it launched. Senders see that the peer that joined later
  // is not connected.
  await expect.poll(peer).toMatchObject({ connected: false });
  await birch.rests();
  await reconnect(birch);
  await birch.model.waitFor("elsewhere");
  await birch.rests();
  await expect.poll(peer).toMatchObject({ connected: true, declared: { status: "idle" } });
  expect(listLetters(birch.model.conversation)).toEqual([letter]);
}, 300_000);
