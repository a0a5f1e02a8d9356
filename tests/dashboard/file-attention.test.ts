import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { type FileWork, workOnFile } from "../sources/file-work.js";
import { stageRepository } from "../sources/staged-repository.js";
import { phone, testDashboard } from "./open-dashboard.js";

const cleanup = createCleanup();
const repository = await stageRepository(cleanup);
const fake = createFakeRunner();
const dashboard = testDashboard({
  agent: {
    ...fake.agent,
    roots: { docs: repository.folder },
    author: { name: "Agent", email: "agent@example.com" },
  },
});
const source_path = "docs/docs/guide.md";

describe("what waits of a file, in the page", { tags: "chromium" }, () => {
  let team_id: string;
  let work: FileWork;

  beforeAll(async () => {
    team_id = await dashboard.newPerson("Bo");
    work = workOnFile(dashboard.rest, { source_path, team_id, runner: fake });
  });

  it("[DASH-301] a proposal stands among what needs you with its file, leads there, and goes when it is decided elsewhere", {
    tags: "long",
  }, async () => {
    const { page, problems, findBarriers } = await dashboard.open("/needs-you", {
      as: await dashboard.newPerson(),
    });
    await page.getByText("You're all caught up").waitFor();
    const proposal_id = await work.propose(await work.openTopic(), "A day.");
    const row = page.getByRole("list", { name: "Needs you" }).getByRole("listitem");
    await row.getByText(`Bo made proposal ${proposal_id}, +2 −0 to the file`).waitFor();
    const href = `/sources?file=docs/docs/guide.md&proposal=${proposal_id}`;
    const detail = page.getByRole("region", { name: "Detail" });
    expect(await detail.getByRole("link", { name: source_path, exact: true }).getAttribute("href")).toBe(
      href,
    );
    await detail.getByText("A day.").waitFor();
    const review = row.getByRole("link", { name: `Review proposal ${proposal_id} of ${source_path}` });
    expect(await review.getAttribute("href")).toBe(href);
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    await page.getByText("1 waiting").first().waitFor();
    expect(await findBarriers()).toEqual([]);

    await row.getByRole("button", { name: `Done: ${source_path}` }).click();
    await expect.poll(() => row.count()).toBe(0);
    await page.getByRole("radio", { name: "Snoozed & done 1" }).check();
    await row.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Nothing snoozed").waitFor();
    await page.getByRole("radio", { name: "Waiting 1" }).check();

    await review.click();
    await page
      .getByRole("region", { name: `Proposal ${proposal_id}` })
      .getByRole("button", { name: "Accept", exact: true })
      .waitFor();
    expect(new URL(page.url()).searchParams.get("file")).toBe(source_path);
    await page.goBack();
    await row.getByText(`Bo made proposal ${proposal_id}`).waitFor();

    const rejecting = { proposal_id, decision: "reject", team_id } as const;
    await dashboard.rest.call("decide_proposal", rejecting);
    await expect.poll(() => row.count()).toBe(0);
    await expect.poll(() => page.title()).not.toMatch(/^\(/);
    expect(problems).toEqual([]);
  });

  it("[DASH-301] [DASH-274] a failed job of a file is tried again in its row, which is gone then", {
    tags: "long",
  }, async () => {
    const job_id = await work.failJob(await work.openTopic());
    const { page, problems } = await dashboard.open("/needs-you", {
      ...phone,
      as: await dashboard.newPerson(),
    });
    const row = page.getByRole("list", { name: "Needs you" }).getByRole("listitem");
    await row
      .getByText(
        `Job ${job_id} could not rewrite the text for its comment: Agent failed with exit code 3. See its log.`,
      )
      .waitFor();
    await row.getByRole("button", { name: "Retry" }).click();
    const again = await fake.next();
    expect(again.job.parameters["Source path"]).toBe(source_path);
    await expect.poll(() => row.count()).toBe(0);
    again.end({ exit_code: 3 });
    await row.getByText(`Job ${again.job.job_id} could not rewrite`).waitFor();
    // On a phone, the selected item replaces the list.
    await row.getByRole("button", { name: /^Job failed: / }).tap();
    const open = page.getByRole("link", { name: `Open ${source_path}` });
    expect(await open.getAttribute("href")).toBe("/sources?file=docs/docs/guide.md&jobs=1");
    await open.click();
    await page.getByRole("button", { name: `Retry job ${again.job.job_id}` }).waitFor();
    expect(problems).toEqual([]);
  });
});
