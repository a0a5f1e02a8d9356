import { expect, it, onTestFinished } from "vitest";
import { makeAgentHome, startStdioServer } from "../../kit/stdio.js";
import { startAgent } from "../kit/agent.js";
import { startMesh } from "../kit/mesh.js";
import { readCpuMs } from "../kit/processes.js";

const minutes = Number(process.env["MERKLE_IDLE_MINUTES"] ?? 1);

it(
  `[WAKE-2] [WAKE-10] ten idle peers ask no model for anything in ${minutes} min, and the broker is idle, too`,
  async () => {
    const mesh = await startMesh(onTestFinished);
    const agents = [
      await startAgent({ mesh, team: "Birch" }, onTestFinished),
      await startAgent({ mesh, team: "Cedar" }, onTestFinished),
    ];
    const others = Array.from({ length: 8 }, (_, index) => `Peer ${index}`);
    for (const team of others) {
      const home = await makeAgentHome();
      const server = await startStdioServer({
        url: mesh.url,
        args: ["--session", mesh.slug, "--team", team],
        home,
      });
      await server.call("list_participants");
    }
    const { letter } = await mesh.write(null);
    for (const agent of agents) await agent.model.waitFor(letter);
    for (const agent of agents) await agent.rests();

    const pids = await mesh.brokerPids();
    const cpuMsOfAll = async () => (await Promise.all(pids.map(readCpuMs))).reduce((sum, each) => sum + each);
    const asked = () => agents.map(({ model }) => model.requests.length);
    const before = { asked: asked(), cpuMs: await cpuMsOfAll() };
    // Real time must pass, because the test measures consumption over time.
    await new Promise((resolve) => setTimeout(resolve, minutes * 60_000));
    const cpuMs = (await cpuMsOfAll()) - before.cpuMs;
    console.info(`The broker used ${cpuMs} ms of processor time in ${minutes} min with ten idle peers.`);
    expect(asked()).toEqual(before.asked);
    expect(cpuMs / (minutes * 60_000)).toBeLessThan(0.02 * pids.length);
  },
  minutes * 60_000 + 120_000,
);
