import { describe, expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";
import { startAtTerminal } from "../../test-kit/terminal.js";

const merkle = setUpSharedMerkle();

const content = "# Auth\n\nTokens live 15 minutes.\n\n## Risks\n\nNone.\n\n## Log\n";
const better = content.replace("15 minutes", "an hour").replace("None.", "Few.");

/**
 * Creates a session with a document and a proposal for that document. Returns functions that change the
 * document and add further proposals.
 */
async function createSessionWithProposal(title: string) {
  const { slug, team_id } = await callBroker(merkle, "create_session", { title, creator_team_name: "Atlas" });
  const call: typeof callBroker = (merkle, name, input) => callBroker(merkle, name, input, team_id);
  await call(merkle, "update_session_doc", { session_id: slug, content, expected_version: 0 });
  const propose = async (text: string, base_version: number) => {
    const asked = { session_id: slug, version: base_version, text: "Say how long." };
    const { topic_id } = await call(merkle, "open_topic", asked);
    const given = { topic_id, base_version, content: text, note: "As we said." };
    return (await call(merkle, "insert_proposal", given)).proposal_id;
  };
  const append = (text: string) => call(merkle, "append_to_session_doc", { session_id: slug, text });
  const read = async () => (await call(merkle, "read_session_doc", { session_id: slug })).content;
  return { slug, append, propose, read, number: await propose(better, 1) };
}

describe("merkle doc proposals", () => {
  it("[PROP-14] lists what is open, accepts a part of it, and refuses what is stale with 6", async () => {
    const { slug, append, read, number } = await createSessionWithProposal("Proposed");
    const doc = (verb: string, ...more: string[]) => merkle.run(["doc", verb, slug, ...more]);
    const listed = await doc("proposals");
    expect(listed.stdout).toMatch(
      new RegExp(`^${number} +open +document, topic \\d+ +\\+2 −2 +Atlas .*As we said\\.\n$`),
    );
    expect(listed.stderr).toContain(`merkle doc accept ${slug} ${number}`);
    expect(await doc("accept", String(number))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes"),
    });
    await append("More.\n");
    const stale = await doc("accept", String(number), "-y");
    expect(stale).toMatchObject({ code: 6, stdout: "" });
    expect(stale.stderr).toContain(`Proposal ${number} is based on v1, but the document is at v2.`);
    expect(stale.stderr).toContain(`merkle doc diff ${slug} 1..2`);
    const rebased = await doc("rebase", String(number), "--json");
    const next: number = JSON.parse(rebased.stdout).next_proposal_id;
    const accepted = await doc("accept", String(next), "-y", "--hunks", "2");
    expect(accepted).toMatchObject({ code: 0, stdout: "✓ document v3\n" });
    expect(accepted.stderr).toContain("@@ 2: line 7, ## Risks @@\n-None.\n+Few.\n");
    expect(await read()).toBe(`${content.replace("None.", "Few.")}More.\n`);
    expect(await doc("accept", String(next), "-y")).toMatchObject({ code: 6 });
    expect(await doc("accept", "99999", "-y")).toMatchObject({ code: 5 });
  });

  it("[PROP-14] rejects a proposal, and returns another one to an agent", async () => {
    const { slug, propose, number } = await createSessionWithProposal("Returned");
    expect(await merkle.run(["doc", "reject", slug, String(number), "Too long."])).toMatchObject({
      code: 0,
      stdout: `✓ proposal ${number} is rejected\n`,
    });
    const other = String(await propose(better, 1));
    const returned = await merkle.run(["doc", "return", slug, other, "-"], { input: "Keep the risks.\n" });
    expect(returned.stdout).toMatch(/^✓ job \d+ works on it\n$/);
    expect(await merkle.run(["doc", "return", slug, other, "Again."])).toMatchObject({ code: 6 });
  });

  it("[PROP-14] on a terminal shows what it changes, and asks", { tags: "terminal" }, async () => {
    const { slug, read, number } = await createSessionWithProposal("Asked");
    const asked = startAtTerminal(merkle, ["doc", "accept", slug, String(number), "--edit"], {
      EDITOR: "sed -i 's/an hour/two hours/'",
      NO_COLOR: "1",
    });
    await asked.waitForScreen("+Tokens live an hour.");
    await asked.waitForScreen(`Make your edited text v2 of ${slug}?`);
    asked.type("y\r");
    expect(await asked.ended).toMatchObject({ code: 0 });
    expect(await read()).toBe(better.replace("an hour", "two hours"));
  });
});
