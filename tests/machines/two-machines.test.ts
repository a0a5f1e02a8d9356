import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { installTestClaude } from "../../apps/cli/src/test-kit/claude.js";
import { type CommandResult, testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import { makeCertificate, writeCertificate } from "../kit/certificates.js";
import { canMakeNetworks, makeTwoNetworks } from "../kit/two-machines.js";

/** Returns the arguments of the command that the output suggests next. */
function nextOn(screen: CommandResult, command: string): string[] {
  const [, line = ""] =
    new RegExp(`next: merkle (${command}.*?)(?:   .*|, in .*)?$`, "m").exec(screen.stderr) ?? [];
  expect(line, `${screen.stdout}${screen.stderr}`).not.toBe("");
  return line.trim().split(/\s+/);
}

function done(screen: CommandResult): CommandResult {
  expect(screen.code, `${screen.stdout}${screen.stderr}`).toBe(0);
  return screen;
}

describe.skipIf(!canMakeNetworks())(
  "Two machines, each with a network of its own",
  { tags: "networks" },
  () => {
    it("[INVITE-9] [TLS-1] a newcomer with a link is in the roster by what the screen says, over TLS, and they talk", {
      tags: "long",
    }, async () => {
      const [ours, theirs] = makeTwoNetworks(onTestFinished);
      const folder = await mkdtemp(join(tmpdir(), "merkle-machines-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const files = await writeCertificate(folder, makeCertificate({ names: [ours.address] }));

      const broker = await testMerkle(onTestFinished, undefined, ours.enter);
      const tls = ["--tls-cert", files.cert, "--tls-key", files.key];
      const up = done(await broker.run(["up", "--host", ours.address, "--port", "7423", ...tls, "--detach"]));
      expect(up.stdout).toContain("invite mode");
      const [link = ""] = /https:\/\/\S+\/join#\S+/.exec(up.stdout) ?? [];
      done(await broker.run(nextOn(up, "join"), { input: link }));
      const { slug } = JSON.parse(done(await broker.run(["new", "Split the auth", "--json"])).stdout);
      const invited = done(await broker.run(["invite", slug]));
      const [received = ""] = /https:\/\/\S+\/join#\S+/.exec(invited.stdout) ?? [];

      // From here on, the newcomer knows only the link, the printed commands and the CA certificate.
      const newcomer = await testMerkle(onTestFinished, undefined, theirs.enter);
      const bin = await installTestClaude(newcomer.home);
      const env = {
        MERKLE_CA: files.cert,
        PATH: `${bin}:${process.env["PATH"]}`,
        TEST_RECORD: join(newcomer.home, "record.json"),
        TEST_END: "serves",
      };
      const joined = done(await newcomer.run(["join", "-", "--name", "Birch"], { env, input: received }));
      const launch = nextOn(joined, "launch");
      const agent = newcomer.start([...launch, "--team", "Birch", "-y"], { env });
      await agent.waitForOutput("claude runs");
      const peers = done(await broker.run(["peers", slug]));
      expect(peers.stdout).toContain("Birch");

      done(await broker.run(["post", slug, "Welcome, Birch.", "--to", "Birch"]));
      const said = done(await newcomer.run(["tail", slug, "--since", "0", "--timeout", "5"], { env }));
      expect(said.stdout).toContain("Welcome, Birch.");

      // A machine without a membership, or without TLS, is refused.
      const stranger = await testMerkle(onTestFinished, undefined, theirs.enter);
      const asStranger = { env: { MERKLE_CA: files.cert, MERKLE_URL: `https://${ours.address}:7423` } };
      expect((await stranger.run(["ls"], asStranger)).code).toBe(4);
      const clear = { env: { MERKLE_URL: `http://${ours.address}:7423` } };
      expect((await stranger.run(["ls"], clear)).code).toBe(2);
      const again = await stranger.run(["join", "-"], { ...asStranger, input: received });
      expect(again.code).toBe(4);
      expect(again.stderr).toMatch(/used/);
      agent.process.kill("SIGTERM");
      await agent.ended;
    });
  },
);
