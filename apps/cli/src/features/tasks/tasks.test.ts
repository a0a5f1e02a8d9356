import { expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

it("[CLI-88] tasks are added, listed, claimed, blocked and done, and claims made, listed and released", async () => {
  const { slug, team_id } = await callBroker(merkle, "create_session", {
    title: "Tasks of the command line",
    creator_team_name: "Atlas",
  });
  const run = (...args: string[]) => merkle.run(args, { env: { USER: "ana" }, input: "" });
  expect((await run("tasks", slug)).stderr).toContain("no tasks");
  expect((await run("task", "add", slug, "Rotate tokens", "--label", "auth")).stdout).toMatch(
    /^1 {2}open .*Rotate tokens \+auth\n$/,
  );
  const added = await run("task", "add", slug, "Test it", "--for", "Atlas", "--after", "1", "--json");
  expect(JSON.parse(added.stdout)).toMatchObject({ task: 2, state: "blocked", assignee: "Atlas" });
  expect((await run("task", "claim", slug)).stdout).toMatch(
    /^1 {2}claimed {2}Rotate tokens \+auth {2}\S+ \S+\n/,
  );
  const listed = await run("tasks", slug);
  expect(listed.stdout).toMatch(/^1 +claimed.*\n2 +blocked +Test it +for Atlas, after 1\n$/);
  expect((await run("tasks")).stdout).toContain(slug);
  expect((await run("task", "block", slug, "1", "2")).code).toBe(6);
  expect((await run("task", "done", slug, "1", "--result", "they rotate")).stdout).toBe(
    "✓ task 1 done   ready now: 2\n",
  );
  expect((await run("task", "claim", slug)).stderr).toContain("no task is ready");
  await callBroker(merkle, "claim", { session_id: slug, scope: "repo:src/**", reason: "tokens" }, team_id);
  expect((await run("claims", slug, "--claim", "repo:src/a.ts")).stderr).toContain(
    "Atlas has held repo:src/**",
  );
  expect((await run("claims", slug)).stdout).toMatch(/^1 +repo:src\/\*\* +Atlas +\S+ +tokens\n$/);
  expect((await run("claims", slug, "--release", "9")).code).toBe(5);
  expect((await run("task", "done", slug, "seven")).code).toBe(2);
  const filed = await run(
    "task",
    "add",
    slug,
    "Write it down",
    "--file",
    "docs/**",
    "--file",
    "Makefile",
    "--json",
  );
  expect(JSON.parse(filed.stdout)).toMatchObject({ files: ["repo:docs/**", "repo:Makefile"] });
  expect((await run("task", "claim", slug, "3")).stdout).toMatch(/\n {2}files: docs\/\*\*, Makefile\n$/);
  expect((await run("claims", slug)).stdout).toMatch(/repo:Makefile .* task 3\n$/);
  await run("task", "add", slug, "Shorten it", "--file", "docs/a.md");
  expect((await run("tasks", slug)).stdout).toContain("on docs/a.md\n");
  await run("task", "done", slug, "3");
  expect((await run("claims", slug)).stdout).not.toContain("repo:docs");
});

it("[CLI-165] tasks are listed by state, as one's own and up to a limit, with the total when more exist", async () => {
  const { slug, team_id } = await callBroker(merkle, "create_session", {
    title: "Tasks by state",
    creator_team_name: "Atlas",
  });
  const list = (...args: string[]) => merkle.run(["tasks", ...args], { env: { USER: "ana" }, input: "" });
  for (const [index, title] of ["Rotate tokens", "Test the rotation", "Announce it"].entries())
    await callBroker(
      merkle,
      "create_task",
      { session_id: slug, title, blocked_by: index === 1 ? [1] : [] },
      team_id,
    );
  expect((await list(slug, "--mine")).stderr).toContain("no tasks");
  expect((await list(slug, "--state", "blocked")).stdout).toMatch(
    /^2 +blocked +Test the rotation +after 1\n$/,
  );
  expect((await list(slug, "--state", "ready")).stdout).toMatch(/^1 .*\n3 .*\n$/);
  const first = await list(slug, "--limit", "2");
  expect(first.stdout.split("\n")).toHaveLength(3);
  expect(first.stderr).toContain("2 of 3: --limit lists more");
  expect((await list(slug)).stderr).toBe("");
  await merkle.run(["task", "claim", slug, "3"], { env: { USER: "ana" }, input: "" });
  const mine = await list(slug, "--mine", "--json");
  expect(JSON.parse(mine.stdout)).toMatchObject({ tasks: [{ task: 3, mine: true }], total: 1 });
  const agent = { env: { MERKLE_SESSION: slug, MERKLE_TEAM: "Birch" }, input: "" };
  expect((await merkle.run(["tasks", "--mine"], agent)).code).toBe(5);
  expect(await list(slug, "--state", "stuck")).toMatchObject({ code: 2, stdout: "" });
  expect((await list("--mine")).stderr).toContain("--mine needs a session");
  expect((await list(slug, "--limit", "501")).stderr).toContain("from 1 to 500");
});

it("[CLI-174] tasks that block a task are named by numbers or parts of titles, and a part of several titles names them", async () => {
  const { slug } = await callBroker(merkle, "create_session", {
    title: "Tasks named by their titles",
    creator_team_name: "Atlas",
  });
  const run = (...args: string[]) => merkle.run(args, { env: { USER: "ana" }, input: "" });
  for (const title of ["Rotate tokens", "Rotate", "Logout page", "Revoke tokens"])
    await run("task", "add", slug, title);
  const added = await run("task", "add", slug, "Test it", "--after", "LOGOUT, #1,rotate", "--json");
  expect(JSON.parse(added.stdout)).toMatchObject({ task: 5, blocked_by: [3, 1, 2] });

  const ambiguous = await run("task", "block", slug, "test it", "tokens");
  expect(ambiguous).toMatchObject({ code: 6, stdout: "" });
  expect(ambiguous.stderr).toContain(
    '2 tasks have "tokens" in their title: 1 Rotate tokens; 4 Revoke tokens. Use the number',
  );
  const unknown = await run("task", "add", slug, "More", "--after", "deploy");
  expect(unknown).toMatchObject({ code: 5, stdout: "" });
  expect(unknown.stderr).toContain(`No unfinished task of ${slug} has "deploy" in its title.`);
  expect((await run("task", "block", slug, "", "1")).code).toBe(2);

  const blocked = await run("task", "block", slug, "test it", "revoke", "--json");
  expect(JSON.parse(blocked.stdout)).toMatchObject({ task: 5, blocked_by: [4] });
  const cleared = await run("task", "block", slug, "test it", "none", "--json");
  expect(JSON.parse(cleared.stdout)).toMatchObject({ task: 5, blocked_by: [] });
  expect((await run("tasks", slug)).stdout.trimEnd().split("\n")).toHaveLength(5);
});
