import { describe, expect, it } from "vitest";
import { claude } from "../clients/claude.js";
import { parseClaudeArgs } from "../clients/claude-args.js";
import { mergeSettings, toHookSettings } from "../clients/claude-hooks.js";
import type { CommandContext } from "../command/command.js";
import { createOutput } from "../command/output.js";
import { readConfig } from "../settings/config.js";
import { readLaunchOptions } from "./launch-options.js";

async function read(flags: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv = {}) {
  const config = await readConfig({ flags, env: { MERKLE_HOME: "/nowhere", ...env }, cwd: "/" });
  const context: CommandContext = {
    ...{ args: [], flags, config },
    output: createOutput(flags, process),
    io: { ...{ stdin: process.stdin, stdout: process.stdout, stderr: process.stderr }, env, cwd: "/" },
    signal: new AbortController().signal,
  };
  return readLaunchOptions(context);
}

describe("what a launch is told", () => {
  it("[LAUNCH-9] is read from flags, and from the environment where flags say nothing", async () => {
    const env = { MERKLE_SESSION: "auth", MERKLE_TEAM: "Birch" };
    expect(await read({}, env)).toMatchObject({
      session: { kind: "named", name: "auth" },
      team: "Birch",
      hasTarget: false,
    });
    expect(
      await read({ new: "Q4", name: "atlas", groups: "backend:lead, reviewers", mesh: "main" }, env),
    ).toMatchObject({
      session: { kind: "new", title: "Q4" },
      name: "atlas",
      groups: ["backend:lead", "reviewers"],
      hasTarget: true,
    });
  });

  it("[LAUNCH-9] is refused with the flag's name when it cannot be", async () => {
    for (const [flags, code, message] of [
      [{ new: "X", session: "auth" }, "usage", "--new creates a session: leave out --session."],
      [{ name: "@all" }, "usage", '--name "@all": must not begin with'],
      [{ role: "a".repeat(101) }, "usage", "--role"],
      [{ groups: "a b:lead" }, "usage", '--groups "a b:lead": must be letters'],
      [{ tools: "magic" }, "usage", 'There is no toolset "magic".'],
    ] as const) {
      await expect(read(flags)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    }
  });

  it("[LAUNCH-12] what stands after -- tells which conversation goes on, and which settings are the user's", () => {
    expect(
      parseClaudeArgs(["-r", "x", "--settings", "a", "--settings=b", "-p", "--", "--settings", "c"]),
    ).toEqual({
      resumeTarget: { id: "x" },
      settings: "b",
      others: ["-r", "x", "-p", "--", "--settings", "c"],
    });
    expect(parseClaudeArgs(["--resume=y"]).resumeTarget).toEqual({ id: "y" });
    expect(parseClaudeArgs(["--fork-session", "-c"]).resumeTarget).toBe("latest");
    expect(parseClaudeArgs(["--resume"])).toEqual({
      resumeTarget: undefined,
      settings: undefined,
      others: ["--resume"],
    });
  });
});

describe("the settings of a launched Claude Code", () => {
  const ours = toHookSettings(["node", "/a b/merkle.mjs"], { hasTurnHooks: true });

  it("[LAUNCH-14] are ours and the user's, as JSON or from a file", async () => {
    expect(await mergeSettings(ours, undefined, "/")).toEqual(ours);
    const theirs = { env: { A: "1" }, hooks: { Stop: [{ hooks: [] }], Other: [1] } };
    expect(await mergeSettings(ours, JSON.stringify(theirs), "/")).toEqual({
      env: { A: "1" },
      hooks: { ...ours.hooks, Stop: [{ hooks: [] }, ...(ours.hooks["Stop"] ?? [])], Other: [1] },
    });
    expect(JSON.stringify(ours)).toContain("node '/a b/merkle.mjs' hook session-start");
  });

  it("[LAUNCH-14] refuse what cannot be read, before anybody joins", async () => {
    await expect(mergeSettings(ours, "nowhere.json", "/")).rejects.toMatchObject({
      code: "usage",
      message: "--settings names nowhere.json, which cannot be read (ENOENT).",
    });
    await expect(mergeSettings(ours, '{"a"', "/")).rejects.toMatchObject({
      message: "--settings must contain a JSON object.",
    });
  });
});

describe("the wake paths of a Claude Code", () => {
  it("[LAUNCH-16] follow from its version, and an older one is told what it lacks", () => {
    expect(claude.getWakeAbility("2.1.330 (Claude Code)")).toEqual({
      paths: ["inbox", "hooks", "wait"],
      advice: undefined,
    });
    expect(claude.getWakeAbility("2.10.0").paths).toEqual(["inbox", "hooks", "wait"]);
    expect(claude.getWakeAbility("2.1.224")).toMatchObject({ paths: ["inbox", "wait"] });
    expect(claude.getWakeAbility("2.1.9")).toEqual({
      paths: ["wait"],
      advice:
        "Claude Code 2.1.9 can be woken only through a wait; the inbox needs 2.1.224, hooks need 2.1.330",
    });
    expect(claude.getWakeAbility("1.0.128").advice).toContain("older than 2.0");
    expect(claude.getWakeAbility("dev").paths).toContain("hooks");
  });
});
