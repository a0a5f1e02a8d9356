import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { callBroker } from "../../apps/cli/src/test-kit/api.js";
import { setUpSharedMerkle } from "../../apps/cli/src/test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

it("[CLI-56] merkle search says what it found, where, by whom, and the part that matches", async () => {
  const { slug, team_id: atlas } = await callBroker(merkle, "create_session", {
    ...{ title: "Searched", creator_team_name: "Atlas" },
  });
  const word = `staging${randomUUID().slice(0, 6)}`;
  const posted = await callBroker(
    merkle,
    "post_message",
    { session_id: slug, content: { text: `Use the ${word} key`, kind: "decision" } },
    atlas,
  );
  const { stdout } = await merkle.run([
    "search",
    word,
    "--session",
    "Searched",
    "--kind",
    "message,decision",
  ]);
  expect(stdout).toMatch(
    new RegExp(
      `^decision {2}${slug} {2}#${posted.cursor} {2}Use the «${word}» key {2}\\d\\d:\\d\\d {2}Atlas\\n$`,
    ),
  );
  await callBroker(merkle, "set_state", { session_id: slug, key: "vault", value: word }, atlas);
  const entry = { projectId: "auth", title: `Took the ${word}`, content: "c" };
  const { id } = await callBroker(merkle, "log_progress", entry, atlas);
  const found = await merkle.run(["search", word, "--kind", "state,progress"]);
  expect(found.stdout).toMatch(new RegExp(`^state +${slug} +vault +`, "m"));
  expect(found.stdout).toMatch(
    new RegExp(`^progress +auth +${id} +Took the «${word}» c +\\d\\d:\\d\\d +Atlas$`, "m"),
  );
  expect(await merkle.run(["search", word, "--kind", "mesage"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Did you mean message?"),
  });
});

it("[CLI-179] merkle search --kind without words lists the newest of a kind across sessions, with their times", async () => {
  const decide = async (title: string, text: string) => {
    const { slug, team_id } = await callBroker(merkle, "create_session", {
      title,
      creator_team_name: "Atlas",
    });
    const content = { text, kind: "decision" } as const;
    await callBroker(merkle, "post_message", { session_id: slug, content }, team_id);
    return slug;
  };
  const first = await decide("Decided early", "Keep the table");
  const last = await decide("Decided late", "Drop the table");
  const { stdout } = await merkle.run(["search", "--kind", "decision", "--limit", "2"]);
  const time = "\\d\\d:\\d\\d";
  expect(stdout).toMatch(
    new RegExp(
      `^decision {2}${last} +#\\d+ {2}Drop the table {2}${time} {2}Atlas\\ndecision {2}${first} +#\\d+ {2}Keep the table {2}${time} {2}Atlas\\n$`,
    ),
  );
  expect(await merkle.run(["search"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--kind to list the newest"),
  });
});
