import { describe, expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

describe("merkle seal", () => {
  it("[CLI-65] tells what is signed while a session is open, what its conclusion sealed, and what came since", async () => {
    const { slug, team_id } = await callBroker(merkle, "create_session", {
      title: "To be sealed",
      creator_team_name: "Atlas",
    });
    await callBroker(merkle, "post_message", { session_id: slug, content: { text: "hi" } }, team_id);
    expect(await merkle.run(["seal", slug])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^not concluded yet: 1 message so far, root \w{4}…\w{4}\n {2}document v0, signed .*\n {2}root \w{64}\n {2}key {2}\w{32}\n$/,
      ),
    });
    const conclude = { session_id: slug, summary_section: "Done." };
    const { seal } = await callBroker(merkle, "conclude_session", conclude, team_id);
    const { stdout } = await merkle.run(["seal", slug]);
    expect(stdout).toMatch(
      /^✓ sealed 1 message, root \w{4}…\w{4}\n {2}document v1, signed .*\n {2}1 message since then; root with them: \w{4}…\w{4}\n/,
    );
    expect(stdout).toContain(seal.root);
    expect((await merkle.run(["show", slug])).stdout).toContain("sealed 1 message, root ");

    const told = JSON.parse((await merkle.run(["seal", slug, "--json"])).stdout);
    expect(told).toEqual(await callBroker(merkle, "session_seal", { session_id: slug }));
    expect(await merkle.run(["seal", "nowhere"])).toMatchObject({ code: 5, stdout: "" });
  });
});

describe("merkle audit-key", () => {
  it("[CLI-66] shows the public keys of this home, and makes the next one without showing a secret", async () => {
    const { keys: served } = await (
      await fetch(new URL("/.well-known/merkle-audit-key", (await merkle.readRunFile()).url))
    ).json();
    const shown = await merkle.run(["audit-key", "show", "--json"]);
    expect(JSON.parse(shown.stdout)).toEqual({ keys: served });
    const rotated = await merkle.run(["audit-key", "rotate"]);
    expect(rotated).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ created audit key \w{32}\n$/),
      stderr: expect.stringContaining("next: merkle down, then merkle up"),
    });
    const { stdout } = await merkle.run(["audit-key", "show"]);
    expect(stdout).toMatch(/^\w{32} {2}since .*, signed by \w{8}\n\w{32} {2}since .*\n$/);
    expect(stdout).toContain(served[0].key_id);
  });
});
