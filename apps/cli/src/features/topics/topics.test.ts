import { expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

async function createSessionWithDocument(title: string) {
  const { slug, team_id } = await callBroker(merkle, "create_session", { title, creator_team_name: "Atlas" });
  const written = { session_id: slug, content: "# Auth\n\nTokens live 15 minutes.\n", expected_version: 0 };
  await callBroker(merkle, "update_session_doc", written, team_id);
  return slug;
}

const doc = (verb: string, ...more: string[]) =>
  merkle.run(["doc", verb, ...more], { env: { USER: "ana" }, input: "" });

it("[CLI-74] a document is commented on, answered in a topic, which is closed and opened again", async () => {
  const slug = await createSessionWithDocument("Commented");
  const opened = await doc("comment", slug, "Why so short?", "--quote", "15 minutes");
  const number = /^✓ topic (\d+)\n$/.exec(opened.stdout)?.[1] ?? "";
  expect(opened.stderr).toContain(`merkle jobs run ${slug} incorporate --topic ${number}`);
  expect(await doc("reply", slug, number, "It was an hour.")).toMatchObject({
    code: 0,
    stdout: `✓ topic ${number}, message 2\n`,
  });
  const said = await merkle.run(["doc", "reply", slug, number, "-", "--close"], { input: "So it stays.\n" });
  expect(said.stdout).toBe(`✓ topic ${number} is closed\n`);
  const [open, all, late] = await Promise.all([
    doc("topics", slug),
    doc("topics", slug, "--all"),
    doc("reply", slug, number, "Still."),
  ]);
  expect(open).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("no topics") });
  expect(all.stdout).toMatch(new RegExp(`^${number} +resolved .* 3 messages +Why so short\\?\n$`));
  expect(late).toMatchObject({ code: 6, stderr: expect.stringContaining("Reopen it") });
  expect((await doc("reply", slug, number, "--reopen")).stdout).toBe(`✓ topic ${number} is open\n`);
  expect(await doc("reply", slug, number, "--reopen")).toMatchObject({ code: 6 });
  const shown = await doc("topics", slug, number);
  for (const text of ["open", "15 minutes", "Why so short?", "It was an hour.", "So it stays."]) {
    expect(shown.stdout).toContain(text);
  }
  const closed = await doc("reply", slug, number, "Never mind.", "--withdraw", "--json");
  expect(JSON.parse(closed.stdout)).toMatchObject({ closed: { reason: "withdrawn" }, messages_count: 4 });
});

it("[CLI-74] what is asked wrongly is said: exit 2, and 5 for another document's topic", async () => {
  const [slug, other] = [
    await createSessionWithDocument("Asked"),
    await createSessionWithDocument("Another"),
  ];
  const number = /\d+/.exec((await doc("comment", slug, "All of it?")).stdout)?.[0] ?? "";
  const answers = await Promise.all([
    doc("reply", slug, number, "--close", "--reopen"),
    doc("reply", slug, number),
    doc("reply", slug, "four", "Yes."),
    doc("topics", other, number),
    doc("reply", other, number, "Yes."),
    doc("comment", slug, "Where?", "--quote", "nowhere"),
  ]);
  expect(answers.map(({ code }) => code)).toEqual([2, 2, 2, 5, 5, 6]);
  expect(answers[3]?.stderr).toContain(`merkle doc topics ${other}`);
});
