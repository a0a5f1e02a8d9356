import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, it, onTestFinished } from "vitest";
import { startMesh } from "../../claude/kit/mesh.js";
import type { Terminal } from "../../claude/kit/terminal.js";
import { changeSettings } from "../../kit/persons.js";
import { brokerTransports } from "../../kit/transports.js";
import { prepareAgent, quit, say } from "../kit/client-agent.js";
import { getDrivenClient } from "../kit/driven-clients.js";
import { callOnce, type ScriptedModel, startScriptedModel } from "../kit/scripted-model.js";

const programs = inject("clientPrograms");

/**
 * A model name that Codex knows, so that Codex lets the model edit with patches. For an older model, Codex would ask
 * whether to continue.
 */
const codexArgs = ["-m", "gpt-6-sol", "--dangerously-bypass-approvals-and-sandbox"];

it.runIf(programs["codex"] && programs["claude"])(
  "[CLAIM-5] [TASK-3] [USAGE-2] Codex and Claude Code take tasks by turns; a patch of Codex's to a claimed file is refused once, and always where set; what it used is reported",
  async () => {
    const mesh = await startMesh(onTestFinished);
    const session_id = mesh.slug;
    const transport = await brokerTransports.rest(mesh.url);
    onTestFinished(() => transport.close());
    const { team_id } = await transport.call("join_session", { session_id, team_name: "Cedar" });
    const cedar = { session_id, team_id };
    for (const title of ["one", "two", "three", "four"])
      await transport.call("create_task", { ...cedar, title });
    await transport.call("claim", { ...cedar, scope: "repo:src/**", reason: "new tokens" });

    const models = {
      codex: await startScriptedModel(onTestFinished),
      claude: await startScriptedModel(onTestFinished),
    };
    const prepare = (name: keyof typeof models, place: { team: string; name: string; args?: string[] }) =>
      prepareAgent(getDrivenClient(name), { mesh, model: models[name], ...place }, onTestFinished);
    const codex = await prepare("codex", { team: "Birch", name: "atlas", args: codexArgs });
    const claude = await prepare("claude", { team: "Oak", name: "elm" });
    await mkdir(join(codex.machine.project, ".git"));
    const birch = await codex.launch();
    const oak = await claude.launch();

    async function call(terminal: Terminal, model: ScriptedModel, tool: string, args: object | string) {
      const before = model.turnsEnded;
      await say(terminal, model === models.codex ? callInScript(tool, args) : callOnce(tool, args), model);
      await expect.poll(() => model.turnsEnded).toBeGreaterThan(before);
    }
    async function patch(file: string): Promise<boolean> {
      await call(birch, models.codex, "apply_patch", addFile(file));
      return existsSync(join(codex.machine.project, file));
    }
    expect(await patch("src/one.ts")).toBe(false);
    await models.codex.waitFor("is claimed in the Merkle session");
    await models.codex.waitFor("Cedar has held");
    expect(await patch("src/one.ts")).toBe(true);
    await changeSettings(transport, { session_id, session_settings: { claims: "refuse" } });
    let tried = 0;
    await expect.poll(() => patch(`src/${++tried}.ts`), { interval: 1_000 }).toBe(false);
    await models.codex.waitFor("does not allow editing claimed files");
    expect(await patch("elsewhere.ts")).toBe(true);
    await transport.call("release", { ...cedar, scope: "repo:src/**" });
    await expect.poll(() => patch(`src/${++tried}.ts`), { interval: 1_000 }).toBe(true);

    async function work(terminal: Terminal, model: ScriptedModel, task: number) {
      await call(terminal, model, "mcp__merkle__claim_task", {});
      await call(terminal, model, "mcp__merkle__finish_task", { task, result: "done" });
    }
    await work(birch, models.codex, 1);
    await work(oak, models.claude, 2);
    await work(birch, models.codex, 3);
    await work(oak, models.claude, 4);
    const { tasks } = await transport.call("list_tasks", { session_id, state: "done" });
    expect(Object.fromEntries(tasks.map(({ task, holder }) => [task, holder]))).toEqual({
      1: "Birch/atlas",
      2: "Oak/elm",
      3: "Birch/atlas",
      4: "Oak/elm",
    });

    // Each reply from the model reports 100 input tokens and 10 output tokens. The input tokens include 40 read from
    // the cache and 30 written to it.
    const used = async () => {
      const { rows } = await transport.call("get_usage", { session_id, by: "team" });
      return rows.find(({ name }) => name === "Birch");
    };
    await expect.poll(async () => (await used())?.output_tokens ?? 0).toBeGreaterThanOrEqual(120);
    const { output_tokens: out = 0, ...sums } = (await used()) ?? {};
    expect(sums).toMatchObject({
      input_tokens: 3 * out,
      cache_read_tokens: 4 * out,
      cache_write_tokens: 3 * out,
    });
    await quit(getDrivenClient("codex"), birch);
    await quit(getDrivenClient("claude"), oak);
  },
);

/** Returns a prompt that makes Codex call one of its tools from a script, as current models do. */
function callInScript(tool: string, args: object | string): string {
  return callOnce("exec", `text(await tools.${tool}(${JSON.stringify(args)}))`);
}

function addFile(file: string): string {
  return `*** Begin Patch\n*** Add File: ${file}\n+new\n*** End Patch`;
}
