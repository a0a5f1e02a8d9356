import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { changeSettings } from "../../kit/persons.js";
import { brokerTransports } from "../../kit/transports.js";
import { startPrinted } from "../kit/agent.js";
import { makeMachine } from "../kit/machine.js";
import { startMesh } from "../kit/mesh.js";

it("[CLAIM-5] an edit of a file that another has claimed is refused once, always where the session says so, and free once it is released", async () => {
  const mesh = await startMesh(onTestFinished);
  const machine = await makeMachine(onTestFinished);
  await mkdir(join(machine.project, ".git"));
  await mkdir(join(machine.project, "src"));
  await writeFile(join(machine.project, "src/there.ts"), "old\n");
  const transport = await brokerTransports.rest(mesh.url);
  onTestFinished(() => transport.close());
  const session_id = mesh.slug;
  const cedar = await transport.call("join_session", { session_id, team_name: "Cedar" });
  const held = { session_id, team_id: cedar.team_id };
  await transport.call("claim", { ...held, scope: "repo:src/**", reason: "new tokens" });

  const birch = await startPrinted(
    { mesh, team: "Birch", name: "oak", machine, launchArgs: ["--tools", "tasks"] },
    onTestFinished,
  );
  const write = async (name: string) => {
    const file = join(machine.project, name);
    await birch.prompt(
      `call Write {"file_path": ${JSON.stringify(file)}, "content": "new"} then say tried ${name}`,
    );
    await birch.rests();
    return file;
  };
  const warning = "is claimed in the Merkle session";
  expect(existsSync(await write("src/one.ts"))).toBe(false);
  expect(birch.model.conversation).toContain(warning);
  expect(birch.model.conversation).toContain("Cedar has held");
  expect(existsSync(await write("src/one.ts"))).toBe(true);
  const told = birch.model.conversation.split(warning).length;
  expect(existsSync(await write("elsewhere.ts"))).toBe(true);
  expect(birch.model.conversation.split(warning)).toHaveLength(told);

  await changeSettings(transport, { session_id, session_settings: { claims: "refuse" } });
  await expect
    .poll(async () => existsSync(await write(`src/${crypto.randomUUID()}.ts`)), {
      timeout: 60_000,
      interval: 1_000,
    })
    .toBe(false);
  expect(birch.model.conversation).toContain("does not allow editing claimed files");

  await transport.call("release", { ...held, scope: "repo:src/**" });
  await birch.prompt('call mcp__merkle__claim {"scope": "src/two.ts"} then say claimed');
  await birch.rests();
  expect(birch.model.conversation).toContain('claimed "repo:src/two.ts": files of this repository');
  const { claims } = await transport.call("list_claims", { session_id });
  expect(claims).toMatchObject([{ scope: "repo:src/two.ts", read_as: "files" }]);
  expect(claims[0]?.repository).toMatch(/^[0-9a-f]{32}$/);
  await birch.prompt('call mcp__merkle__claim {"scope": "src/two.ts:10-20"} then say refused');
  await birch.rests();
  expect(birch.model.conversation).toContain("claims are on whole files, not on lines of one");
  expect(existsSync(await write("src/two.ts"))).toBe(true);

  await transport.call("create_task", { ...held, title: "rotate tokens" });
  await birch.prompt("call mcp__merkle__claim_task {} then say taken");
  await birch.rests();
  await birch.prompt('call mcp__merkle__finish_task {"task": 1, "result": "they rotate"} then say finished');
  await birch.rests();
  const { tasks } = await transport.call("list_tasks", { session_id, state: "done" });
  expect(tasks).toMatchObject([{ task: 1, holder: "Birch/oak", result: "they rotate" }]);
});

it("[CLAIM-7] a claim counts in a worktree of another clone, whose address has another form, and not in another repository", async () => {
  const mesh = await startMesh(onTestFinished);
  const transport = await brokerTransports.rest(mesh.url);
  onTestFinished(() => transport.close());
  const [machine, other] = [await makeMachine(onTestFinished), await makeMachine(onTestFinished)];
  const clone = async (folder: string, url: string) => {
    await mkdir(join(folder, ".git"), { recursive: true });
    await writeFile(join(folder, ".git/config"), `[remote "origin"]\n\turl = ${url}\n`);
  };
  await clone(machine.project, "https://ana:a-token@example.com/acme/app.git");
  await clone(join(other.temporary, "app"), "git@example.com:acme/app.git");
  const worktree = join(other.temporary, "app/.git/worktrees/project");
  await mkdir(worktree, { recursive: true });
  await writeFile(join(worktree, "commondir"), "../..\n");
  await writeFile(join(other.project, ".git"), `gitdir: ${worktree}\n`);
  const elsewhere = join(other.project, "vendor/lib");
  await clone(elsewhere, "https://example.com/acme/lib.git");

  const birch = await startPrinted({ mesh, team: "Birch", name: "oak", machine }, onTestFinished);
  await birch.prompt('call mcp__merkle__claim {"scope": "a.ts"} then say claimed');
  await birch.rests();
  const cedar = await startPrinted({ mesh, team: "Cedar", name: "elm", machine: other }, onTestFinished);
  const write = async (file: string) => {
    await cedar.prompt(
      `call Write ${JSON.stringify({ file_path: file, content: "new" })} then say tried ${file}`,
    );
    await cedar.rests();
    return existsSync(file);
  };
  expect(await write(join(elsewhere, "a.ts"))).toBe(true);
  expect(await write(join(other.project, "a.ts"))).toBe(false);
  expect(cedar.model.conversation).toContain("Birch/oak has held");
  await cedar.prompt('call mcp__merkle__claim {"scope": "vendor/lib/a.ts"} then say claimed');
  await cedar.rests();
  const { claims } = await transport.call("list_claims", { session_id: mesh.slug });
  expect(claims.map(({ scope }) => scope)).toEqual(["repo:a.ts", "repo:a.ts"]);
  expect(new Set(claims.map(({ repository }) => repository)).size).toBe(2);
  expect(JSON.stringify([claims, await mesh.readHistory()])).not.toMatch(/a-token|example\.com/);
});
