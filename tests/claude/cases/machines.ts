import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type CommandResult, testMerkle } from "../../../apps/cli/src/test-kit/merkle.js";
import { makeCertificate, writeCertificate } from "../../kit/certificates.js";
import { canMakeNetworks, makeTwoNetworks } from "../../kit/two-machines.js";
import { startAgent } from "../kit/agent.js";
import { makeMachine } from "../kit/machine.js";

function done({ code, stdout, stderr }: CommandResult): string {
  expect(code, `${stdout}${stderr}`).toBe(0);
  return stdout;
}

const linkIn = (screen: string) => /https:\/\/\S+\/join#\S+/.exec(screen)?.[0] ?? "";

it.skipIf(!canMakeNetworks())(
  "[TLS-1] [LAUNCH-1] [WAKE-1] an agent of another home and network is launched over TLS by a private authority, is woken, and answers",
  async () => {
    const [ours, theirs] = makeTwoNetworks(onTestFinished);
    const folder = await mkdtemp(join(tmpdir(), "merkle-machines-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const files = await writeCertificate(folder, makeCertificate({ names: [ours.address] }));
    const broker = await testMerkle(onTestFinished, undefined, ours.enter);
    const tls = ["--tls-cert", files.cert, "--tls-key", files.key];
    const up = await broker.run(["up", "--host", ours.address, "--port", "7423", ...tls, "--detach"]);
    done(await broker.run(["join", "-"], { input: linkIn(done(up)) }));
    const { slug } = JSON.parse(done(await broker.run(["new", "Split the auth", "--json"])));
    const invitation = linkIn(done(await broker.run(["invite", slug])));

    const url = `https://${ours.address}:7423`;
    const newcomer = await testMerkle(onTestFinished, undefined, theirs.enter);
    const machine = await makeMachine(onTestFinished);
    const env = { MERKLE_HOME: machine.merkleHome, MERKLE_CA: files.cert };
    done(await newcomer.run(["join", "-", "--name", "Birch"], { env, input: invitation }));
    const agent = await startAgent(
      {
        ...{ team: "Birch", name: "birch", machine, network: { ...theirs, socket: join(folder, "model") } },
        launchArgs: ["--url", url, "--ca", files.cert],
        mesh: {
          ...{ slug, url },
          async findPeer(team, name) {
            const { peers } = JSON.parse(done(await broker.run(["peers", slug, "--json"])));
            return peers.find(
              (peer: { team: string; name: string }) => peer.team === team && peer.name === name,
            );
          },
        },
      },
      onTestFinished,
    );
    await agent.prompt("say ready");
    await agent.rests();
    done(await broker.run(["post", slug, "which tokens stay?", "--to", "Birch"]));
    await agent.model.waitFor("which tokens stay?");
    await agent.rests();
    const answer = { content: { text: "the old ones stay" } };
    await agent.prompt(`call mcp__merkle__post_message ${JSON.stringify(answer)} then say answered`);
    await agent.rests();
    expect(done(await broker.run(["tail", slug, "--since", "0", "--timeout", "5"]))).toContain(
      "the old ones stay",
    );
  },
);
