import { expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";
import { startAtTerminal } from "../../test-kit/terminal.js";

const merkle = setUpSharedMerkle();

/** Creates a session whose document has one version. Returns its slug and its team's credential. */
async function createSessionWithDocument(title: string): Promise<{ slug: string; credential: string }> {
  const { slug, team_id } = await callBroker(merkle, "create_session", { title, creator_team_name: "Atlas" });
  const document = { session_id: slug, content: "# Auth\n", expected_version: 0 };
  await callBroker(merkle, "update_session_doc", document, team_id);
  return { slug, credential: team_id };
}

it("[REDACT-10] at a terminal, merkle redact shows what it is about and asks first", {
  tags: "terminal",
}, async () => {
  const { slug, credential } = await createSessionWithDocument("Asked");
  const said = { session_id: slug, content: { text: "the key is 1234" } };
  const { cursor } = await callBroker(merkle, "post_message", said, credential);
  const asked = startAtTerminal(merkle, ["redact", slug, String(cursor)]);
  await asked.waitForScreen(`Remove the text of #${cursor} (Atlas: "the key is 1234")`);
  asked.type("n\r");
  const { code, screen } = await asked.ended;
  expect(code).toBe(130);
  expect(screen, "broken between words").toContain("permanently? Redacting\r\n  cannot undo");
  const { messages } = await callBroker(merkle, "get_history", { session_id: slug });
  expect(messages.at(-1)?.content).toEqual({ text: "the key is 1234" });
});

it("[REDACT-10] merkle redact removes a message's text or versions, says so, and shows nothing of it", {
  tags: "long",
}, async () => {
  const { slug, credential } = await createSessionWithDocument("Redacted");
  const posted = await callBroker(
    merkle,
    "post_message",
    { session_id: slug, content: { text: "the key is 1234" } },
    credential,
  );
  const number = String(posted.cursor);
  await callBroker(merkle, "append_to_session_doc", { session_id: slug, text: "more" }, credential);
  const removed = await merkle.run(["redact", slug, number, "--reason", "a key"]);
  expect(removed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^✓ #${number} removed, as #\\d+ says\n$`)),
    stderr: expect.stringContaining("or remove copies on other machines"),
  });
  const versions = await merkle.run(["redact", slug, "--versions", "1", "--json"]);
  expect(JSON.parse(versions.stdout)).toMatchObject({ redacted: 1 });
  await callBroker(merkle, "conclude_session", { session_id: slug, summary_section: "End." }, credential);
  const [again, newest, shown, listed, tailed] = await Promise.all([
    merkle.run(["redact", slug, number]),
    merkle.run(["redact", slug, "--versions", "1..3"]),
    merkle.run(["doc", "show", slug, "--version", "1"]),
    merkle.run(["doc", "history", slug]),
    merkle.run(["tail", slug, "--since", "0", "--until-closed"]),
  ]);
  expect(again.stdout).toContain(`#${number} was removed before`);
  expect(newest).toMatchObject({ code: 6, stdout: "" });
  expect(shown).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(/v1: text removed by /),
  });
  expect(listed.stdout).toMatch(/^v1 .*removed by /m);
  expect(tailed.stdout).toMatch(/everyone {2}removed by .*: a key$/m);
  expect(tailed.stdout).not.toContain("1234");
  expect(await merkle.run(["redact", slug, "x"])).toMatchObject({ code: 2 });
});
