import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner, type FakeRun } from "../kit/fake-runner.js";
import { brokerTransports } from "../kit/transports.js";
import { guide, stageRepository } from "../sources/staged-repository.js";
import { phone, type TestDashboard, testDashboard } from "./open-dashboard.js";
import { openPalette } from "./open-palette.js";

const fake = createFakeRunner("a runner");
const at = await stageRepository(createCleanup());
const author = { name: "Agent", email: "agent@example.com" };
const dashboard = testDashboard({
  agent: { ...fake.agent, author, roots: { docs: at.folder, gone: `${at.top}/nowhere` } },
});
const wide = { viewport: { width: 1440, height: 900 } };

/** Number of files so far, so that each test has its own file. */
let files = 0;
async function stageGuide(text = guide): Promise<string> {
  files += 1;
  await commit(`guides/${files}.md`, text);
  return `docs/guides/${files}.md`;
}

async function commit(path: string, text: string): Promise<void> {
  await at.write(path, text);
  await at.git("add", path);
  await at.git("commit", "-q", "-m", `Write ${path}`);
}

const pathIn = (source_path: string) => source_path.slice("docs/".length);

describe("files in the page", { tags: "chromium" }, () => {
  it("[DASH-289] [DASH-290] files are listed by root with what is open for each, live, and found by their path", async () => {
    await commit("src/plan.ts", "export const plan = 1;\n");
    const { page, problems, findBarriers } = await open("/");
    await page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "Files", exact: true })
      .click();
    const row = page
      .getByRole("region", { name: "docs" })
      .getByRole("listitem")
      .filter({ hasText: "README.md" });
    await row.waitFor();
    await page.getByRole("region", { name: "gone" }).getByText("There is no folder").waitFor();
    expect(await findBarriers()).toEqual([]);
    await comment("docs/README.md", "Who reads this?");
    await row.getByText("1 comment").waitFor();
    await page.getByRole("searchbox").fill("PLAN");
    await expect.poll(() => row.count()).toBe(0);
    await expect.poll(() => new URL(page.url()).search).toBe("?q=PLAN");
    await page.getByRole("link", { name: "src/plan.ts" }).click();
    await page.getByRole("figure", { name: "ts" }).getByText("export const plan = 1;").waitFor();
    await page.getByText(/^commit [0-9a-f]{12} · Owner/).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-307] the palette finds files by their path, and leads to the list where there are more", {
    tags: "long",
  }, async () => {
    await Promise.all(
      Array.from({ length: 7 }, (_, brick) => at.write(`kilns/Brick-${brick}.md`, `Brick ${brick}.\n`)),
    );
    await at.git("add", "kilns");
    await at.git("commit", "-q", "-m", "Write of bricks");
    const { page, problems, findBarriers } = await open("/");
    const field = await openPalette(page);
    const palette = page.getByRole("dialog", { name: "Command menu" });
    await field.fill("kilns/brick-3");
    await palette.getByRole("option", { name: "docs/kilns/Brick-3.md", selected: true }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sources?file=docs/kilns/Brick-3.md");
    await page.getByText("Brick 3.").waitFor();

    await page.keyboard.press("Control+k");
    await field.fill("KILNS");
    await expect.poll(() => palette.getByRole("option", { name: /Brick-\d/ }).count()).toBe(6);
    await palette.getByRole("option", { name: "All files with “KILNS” in the path" }).click();
    await page.waitForURL("**/sources?q=KILNS");
    await page.getByRole("link", { name: "kilns/Brick-6.md" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-291] [DASH-292] words are selected with the mouse and commented on, answered live, resolved, and reached by their link", {
    tags: "long",
  }, async () => {
    const source_path = await stageGuide();
    const { page, problems, findBarriers } = await open(`/sources?file=${source_path}`);
    await dragOver(page, "live for an hour");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    const form = page.getByRole("dialog", { name: "Comment on selection" });
    await form.getByRole("textbox", { name: "Your comment" }).fill("How long?\n\nAnd why?");
    await form.getByRole("button", { name: "Comment", exact: true }).click();
    const card = page.getByRole("article", { name: "How long?" });
    await card.getByText("And why?").waitFor();
    const [topic] = (await dashboard.rest.call("list_topics", { source_path })).topics;
    expect(topic?.anchor).toMatchObject({ quote: "live for an hour" });
    await expect.poll(() => marked(page, "topic-shown")).toEqual(["live for an hour"]);
    const topic_id = topic?.topic_id ?? 0;
    expect(new URL(page.url()).searchParams.get("topic")).toBe(String(topic_id));

    const team_id = await dashboard.newPerson("Ben");
    await dashboard.rest.call("reply_to_topic", { topic_id, team_id, text: "For **an hour**." });
    await card.getByText("For an hour.").waitFor();
    expect(await findBarriers()).toEqual([]);
    await card.getByRole("textbox", { name: "Your reply" }).fill("Good.");
    await card.getByRole("button", { name: "Reply and resolve" }).click();
    await card.getByText("resolved by Ana").waitFor();
    await expect.poll(() => marked(page, "topics")).toEqual([]);

    // Comments by other people appear on the page as they are posted.
    await comment(source_path, "In which order?", "They rotate.");
    await page.getByRole("article", { name: "In which order?" }).waitFor();
    await expect.poll(() => marked(page, "topics")).toEqual(["They rotate."]);
    await page.goto(`${dashboard.broker.url}/sources?file=${source_path}&topic=${topic_id}`);
    await card.getByText("resolved by Ana").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-293] [DASH-294] [DASH-306] a comment is sent to the agent, and what it proposes becomes a commit, which is shown", async () => {
    const source_path = await stageGuide();
    const { topic_id } = await comment(source_path, "How long?", "Tokens live for an hour.");
    const { page, problems, findBarriers } = await open(`/sources?file=${source_path}&topic=${topic_id}`);
    const card = page.getByRole("article", { name: "How long?" });
    await card.getByRole("button", { name: "Send to the agent" }).click();
    const run = await fake.next();
    await card.getByText(`The agent is working on it (job ${run.job.job_id})`).waitFor();
    const before = await at.git("rev-parse", "HEAD");
    const proposed = guide.replace("an hour", "a day").replace("rotate", "rotate daily");
    const proposal_id = await propose(run, topic_id, proposed);
    await card.getByText(`Job ${run.job.job_id} made proposal ${proposal_id}.`).waitFor();
    const said = card.getByRole("listitem").filter({ hasText: "Revision 1 is proposed." });
    await said.getByRole("link", { name: `Review proposal ${proposal_id}` }).waitFor();
    expect(await card.getByRole("link", { name: "Review proposal" }).count()).toBe(1);
    await page.getByRole("button", { name: `Review proposal ${proposal_id}` }).click();
    const review = page.getByRole("region", { name: `Proposal ${proposal_id}` });
    await review.getByText(/based on [0-9a-f]{12}/).waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(await at.git("rev-parse", "HEAD")).toBe(before);
    await review.getByRole("button", { name: "Edit and accept" }).click();
    const field = review.getByRole("textbox", { name: `Text of proposal ${proposal_id}` });
    await field.press("Control+End");
    await page.keyboard.type("Ask Ana.\n");
    await review.getByRole("button", { name: "Accept this text" }).click();
    await review.getByText(/^Accepted as commit [0-9a-f]{12} by Ana/).waitFor();
    const after = await at.git("log", "-1", "--format=%H%n%an%n%s%n%(trailers:only,unfold)");
    const [sha = "", by, subject, ...trailers] = after.split("\n");
    expect([by, subject]).toEqual(["Agent", `Incorporate topic ${topic_id}: How long?`]);
    expect(trailers.filter(Boolean)).toEqual([
      "Approved-by: Ana",
      `Merkle-Topic: ${topic_id}`,
      `Merkle-Proposal: ${proposal_id}`,
    ]);
    expect(await at.git("show", `HEAD:${pathIn(source_path)}`)).toBe(`${proposed}Ask Ana.`);
    expect(await at.git("rev-parse", "HEAD^")).toBe(before);
    await review.getByText(`Accepted as commit ${sha.slice(0, 12)}`).waitFor();
    expect(await findBarriers()).toEqual([]);
    await review.getByRole("button", { name: "Show current text" }).click();
    await page.getByText("Ask Ana.").waitFor();
    await page.getByText(`commit ${sha.slice(0, 12)} · Agent`).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-294] of a file that was changed meanwhile nothing is written: the proposal is rebased and shown again", {
    tags: "long",
  }, async () => {
    const source_path = await stageGuide();
    const { proposal_id } = await proposeTo(source_path, guide.replace("an hour", "a day"));
    const { page } = await open(`/sources?file=${source_path}&proposal=${proposal_id}`);
    const review = page.getByRole("region", { name: `Proposal ${proposal_id}` });
    await review.getByRole("button", { name: "Accept", exact: true }).waitFor();
    await commit(pathIn(source_path), guide.replace("They rotate.", "They rotate, as Ben says."));
    await review.getByRole("button", { name: "Rebase and review" }).click();
    await page.getByRole("button", { name: "Accept", exact: true }).waitFor();
    // Uncommitted changes must not be overwritten, and the broker reports them.
    await at.write(pathIn(source_path), "# Another guide\n");
    await page.getByText("This file has uncommitted changes").waitFor();
    await at.git("checkout", "-q", "--", pathIn(source_path));
    await expect.poll(() => page.getByText("This file has uncommitted changes").count()).toBe(0);
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText(/^Accepted as commit/).waitFor();
    expect(await at.read(pathIn(source_path))).toBe(
      guide.replace("an hour", "a day").replace("They rotate.", "They rotate, as Ben says."),
    );
  });

  it("[DASH-294] what was edited is brought together with a file that was changed meanwhile; it can be sent back, and rejected", {
    tags: "long",
  }, async () => {
    const source_path = await stageGuide();
    const { topic_id, proposal_id } = await proposeTo(source_path, guide.replace("an hour", "a day"));
    const { page } = await open(`/sources?file=${source_path}&proposal=${proposal_id}`);
    await page.getByRole("button", { name: "Edit and accept" }).click();
    await page.getByRole("textbox", { name: `Text of proposal ${proposal_id}` }).press("Control+End");
    await page.keyboard.type("Ask Ana.\n");
    await commit(pathIn(source_path), guide.replace("# Guide", "# The guide"));
    await page.getByRole("button", { name: "Accept this text" }).click();
    await page.getByText("The file changed while you were editing").waitFor();
    await page.getByRole("button", { name: "Save result" }).click();
    await page.getByText(/^Accepted as commit/).waitFor();
    expect(await at.read(pathIn(source_path))).toBe(
      `${guide.replace("an hour", "a day").replace("# Guide", "# The guide")}Ask Ana.\n`,
    );
    expect((await dashboard.rest.call("get_topic", { topic_id })).status).toBe("closed");

    const other = await stageGuide();
    const second = await proposeTo(other, guide.replace("an hour", "a week"));
    await page.goto(`${dashboard.broker.url}/sources?file=${other}`);
    // An open proposal is listed above the text, with a link to its review.
    await page
      .getByRole("button", { name: `Review proposal ${second.proposal_id}` })
      .first()
      .click();
    await page.getByRole("button", { name: "Request changes…" }).click();
    await page.getByRole("textbox", { name: "Changes to make" }).fill("Say it in days.");
    await page.getByRole("button", { name: "Request changes", exact: true }).click();
    await page.getByText("Sent back for changes by Ana").waitFor();
    const next = await propose(await fake.next(), second.topic_id, guide.replace("an hour", "7 days"));
    await page.getByRole("button", { name: "Review revision 2" }).click();
    await page.getByRole("button", { name: "Reject…" }).click();
    await page.getByRole("button", { name: "Reject", exact: true }).click();
    await page
      .getByRole("region", { name: `Proposal ${next}` })
      .getByText("Rejected by Ana")
      .waitFor();
    expect(await at.read(pathIn(other))).toBe(guide);
  });

  it("[DASH-295] [DASH-296] a file is read as a persona, its jobs are followed, cancelled and tried again", {
    tags: "long",
  }, async () => {
    const source_path = await stageGuide();
    const { page, problems, findBarriers } = await open(`/sources?file=${source_path}`);
    await page.getByRole("button", { name: "Perspectives" }).click();
    const pane = page.getByRole("complementary", { name: "Perspectives" });
    await pane.getByRole("radio", { name: "Sceptic" }).check();
    await pane.getByRole("button", { name: "Review as Sceptic" }).click();
    (await fake.next()).end({ exit_code: 3, error_tail: "no licence" });
    await pane.getByText("Agent failed with exit code 3. See its log.").waitFor();
    await page.getByRole("button", { name: "Jobs" }).click();
    const jobs = page.getByRole("list", { name: "Jobs, newest first" });
    const failed = jobs.getByRole("listitem", { name: "Read the file as" }).last();
    await failed.getByText("no licence").waitFor();
    expect(await findBarriers()).toEqual([]);
    await failed.getByRole("button", { name: /^Retry/ }).click();
    await fake.next();
    await jobs.getByRole("button", { name: /^Cancel/ }).click();
    await jobs.getByText("Cancelled", { exact: true }).waitFor();
    await jobs.getByRole("button", { name: /^Retry/ }).click();
    await read(await fake.next(), "Why **an hour**?");
    await jobs.getByRole("link", { name: "View perspective" }).click();
    const reading = pane.getByRole("article", { name: "Perspective of Sceptic" });
    await reading.getByText("an hour").waitFor();
    expect(await findBarriers()).toEqual([]);
    await commit(pathIn(source_path), "# Another guide\n");
    await pane.getByText(/the file has changed since [0-9a-f]{12}\./).waitFor();
    await page.getByRole("heading", { name: "Another guide" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-291] [DASH-292] code is in its colours, and commented on to the character", async () => {
    const code = 'const first = 1;\nconst second = "two";\n';
    await commit("src/code.ts", code);
    const { page, problems } = await open("/sources?file=docs/src/code.ts");
    // Syntax colours split the text into several elements.
    await page.getByRole("figure", { name: "ts" }).getByText("const", { exact: true }).last().waitFor();
    await dragOver(page, "second");
    await page.keyboard.press("c");
    await page.getByRole("textbox", { name: "Your comment" }).fill("Of what?");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("article", { name: "Of what?" }).getByRole("textbox").waitFor();
    const { topics } = await dashboard.rest.call("list_topics", { source_path: "docs/src/code.ts" });
    expect(topics[0]?.place).toMatchObject({ found: "exact", start: code.indexOf("second") });
    await expect.poll(() => marked(page, "topics")).toEqual(["second"]);
    expect(problems).toEqual([]);
  });

  it("[DASH-291] plain text is commented on as it is written, and on a phone over it", {
    tags: "long",
  }, async () => {
    await commit("notes.txt", "First *line*\nSecond line\n");
    const { page, problems, findBarriers } = await open("/sources?file=docs/notes.txt", phone);
    await page.getByText("First *line*").waitFor();
    await page.getByRole("button", { name: "Comments" }).click();
    const sheet = page.getByRole("dialog", { name: "Comments" });
    await sheet.getByRole("button", { name: "Comment on a passage…" }).click();
    const source = sheet.getByRole("textbox", { name: /^Select a passage/ });
    await source.press("Control+Home");
    await source.press("Shift+End");
    await sheet.getByRole("button", { name: "Comment on this" }).click();
    await sheet.getByRole("textbox", { name: "Your comment" }).fill("Which line?");
    await page.keyboard.press("Control+Enter");
    await sheet.getByRole("article", { name: "Which line?" }).getByRole("textbox").waitFor();
    expect(await findBarriers()).toEqual([]);
    await sheet.getByRole("button", { name: "Close", exact: true }).click();
    await expect.poll(() => marked(page, "topics")).toEqual(["First *line*"]);
    expect(problems).toEqual([]);
  });

  it("[DASH-297] what cannot be read says why in the broker's words; what was said of it is still there", async () => {
    const { page } = await open("/sources?file=docs/../secret.md");
    await page.getByText("must be <root>/<path> of a file", { exact: false }).waitFor();
    const source_path = await stageGuide();
    await comment(source_path, "Where is it?");
    await at.git("rm", "-q", pathIn(source_path));
    await at.git("commit", "-q", "-m", "Remove it");
    await page.goto(`${dashboard.broker.url}/sources?file=${source_path}`);
    await page.getByText("There is no file with this path in Git.").waitFor();
    await page.getByRole("article", { name: "Where is it?" }).waitFor();
  });
});

describe("files that nobody commits", { tags: "chromium" }, () => {
  const lonely = testDashboard({ agent: { ...fake.agent, roots: { docs: at.folder } } });

  it("[DASH-297] without an author that is said beside the files, and by the broker to who accepts", {
    tags: "long",
  }, async () => {
    const source_path = await stageGuide();
    const { proposal_id } = await proposeTo(source_path, guide.replace("an hour", "a day"), lonely);
    const as = await lonely.newPerson();
    const { page } = await lonely.open("/sources", { as });
    await page.getByRole("note").getByText("agent.author_name").waitFor();
    await page.goto(`${lonely.broker.url}/sources?file=${source_path}&proposal=${proposal_id}`);
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByRole("alert").getByText("No commit author is set.").waitFor();
    expect(await at.read(pathIn(source_path))).toBe(guide);
  });
});

async function open(path: string, options: object = wide) {
  return dashboard.open(path, { as: await dashboard.newPerson(), ...options });
}

async function comment(source_path: string, text: string, quote?: string, { rest, newPerson } = dashboard) {
  const { source_sha } = await rest.call("read_source", { source_path });
  const about = quote === undefined ? {} : { quote };
  const team_id = await newPerson("Ben");
  return rest.call("open_topic", { source_path, source_sha, text, team_id, ...about });
}

/** Proposes a change to a file as another person, in reply to a new comment. */
async function proposeTo(source_path: string, content: string, on: TestDashboard = dashboard) {
  const { topic_id, anchor } = await comment(source_path, "How long?", "Tokens live for an hour.", on);
  const team_id = await on.newPerson("Ben");
  const made = { topic_id, base_sha: anchor?.hash ?? "", content, team_id };
  const { proposal_id } = await on.rest.call("insert_proposal", made);
  return { topic_id, proposal_id };
}

/** Acts as an agent that rewrites the file for its job. */
async function propose({ job, end }: FakeRun, topic_id: number, content: string): Promise<number> {
  const agent = await brokerTransports.rest(dashboard.broker.url, { token: job.credential });
  const { "Base source SHA": base_sha = "" } = job.parameters;
  const { proposal_id } = await agent.call("insert_proposal", { topic_id, base_sha, content });
  end({});
  return proposal_id;
}

/** Acts as an agent that reads the file as a persona. */
async function read({ job, end }: FakeRun, content: string): Promise<void> {
  const agent = await brokerTransports.rest(dashboard.broker.url, { token: job.credential });
  const { "Source SHA": source_sha = "", "Persona SHA": persona_sha = "" } = job.parameters;
  await agent.call("put_perspective", { source_sha, persona_sha, content });
  end({});
}

/** Selects words in the text with the mouse: presses before the first character and releases after the last. */
async function dragOver(page: Page, words: string): Promise<void> {
  const offered: Locator = page.getByRole("button", { name: "Comment", exact: true });
  await page.getByRole("button", { name: "Comments" }).waitFor();
  await expect
    .poll(async () => {
      const { from, to } = await page.evaluate<{ from: Point; to: Point }>(
        `(${endsOf})(${JSON.stringify(words)})`,
      );
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 4 });
      await page.mouse.up();
      return offered.isVisible();
    })
    .toBe(true);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Runs in the page. Returns the screen positions where the given words begin and end. */
const endsOf = `(words) => {
  const texts = document.createTreeWalker(document.querySelector("[data-part]").parentElement, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const at = node.textContent.indexOf(words);
    if (at === -1) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + words.length);
    const { left, right, top, height } = range.getBoundingClientRect();
    return { from: { x: left + 1, y: top + height / 2 }, to: { x: right, y: top + height / 2 } };
  }
  throw new Error("not in the text: " + words);
}`;

/** Returns the passages that the browser highlights. */
function marked(page: Page, name: string): Promise<string[]> {
  return page.evaluate<string[]>(`[...(CSS.highlights.get("${name}") ?? [])].map(String)`);
}
