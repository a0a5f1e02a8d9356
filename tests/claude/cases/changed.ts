import { expect, it } from "vitest";
import { changes, startChanged } from "../kit/changes.js";

it.each(Object.entries(changes))(
  "[WAKE-8] [WAKE-9] [WAKE-16] [WAKE-18] %s an agent is woken at once, shows what it waits for, is left alone after Esc, and is then nudged by counts",
  async (_, change) => {
    const claudeArgs = ["--permission-mode=manual"];
    const { mesh, transport, birch, sessions } = await startChanged([change], { claudeArgs });
    const declared = async (session_id: string, team = "Birch") => {
      const { peers } = await transport.call("list_peers", { session_id });
      return peers.find((each) => each.team === team && each.name !== null)?.declared;
    };

    // Changes by the user must not be mistaken for an interrupted turn.
    const soon = await mesh.write("Birch");
    expect((await birch.model.waitFor(soon.letter)).atMs - soon.postedAtMs).toBeLessThan(12_000);
    await birch.rests();

    const file = `${birch.machine.project}/x`;
    await birch.prompt(`call Write {"file_path":"${file}","content":"hello"} then say tried`);
    const reason = `waiting for permission at its terminal: Write "${file}"`;
    for (const session of sessions)
      await expect.poll(() => declared(session)).toMatchObject({ status: "blocked", reason });
    expect((await declared(mesh.slug, "Cedar"))?.status).not.toBe("blocked");
    await birch.terminal.press("Escape");
    for (const session of sessions)
      await expect.poll(() => declared(session)).toMatchObject({ status: "idle", reason: null });

    const interruptedAt = performance.now();
    const { letter } = await mesh.write("Birch", { from: "Ben obeys" });
    const { atMs } = await birch.model.waitFor(letter);
    expect(atMs - interruptedAt).toBeGreaterThan(12_000);
    await birch.rests();
    expect(birch.model.conversation).toMatch(/Merkle nudge \d+: \d+ unread\. If they are not below/);
  },
);
