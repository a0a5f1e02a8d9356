import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSummaries } from "@merkle/broker/runner";
import { expect, it, onTestFinished } from "vitest";
import { readConfig } from "../../settings/config.js";
import { findForeignEnvFiles } from "../../settings/env-files.js";
import { trustFile } from "../../settings/foreign-file.js";
import { feature } from "./feature.js";
import { findForeignSettings, readProgressSettings } from "./progress-settings.js";

const apiKey = "sk-test-5up3r-s3cr3t";

/** Reads the settings in a folder that contains the given settings file, which is trusted by default. */
async function settings(file: unknown, env: Record<string, string> = {}, isTrusted = true) {
  const cwd = await mkdtemp(join(tmpdir(), "merkle-progress-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const text = typeof file === "string" ? file : JSON.stringify(file);
  if (file !== undefined) await writeFile(join(cwd, "agent-progress.config.json"), text);
  const foreign = isTrusted ? findForeignSettings({ environment: env, cwd }) : undefined;
  if (foreign) trustFile(cwd, foreign);
  return readProgressSettings({ environment: env, cwd, home: cwd });
}

const whole = {
  dbPath: "./data/progress.db",
  openai: { apiKey: `$${"{OPENAI_API_KEY}"}`, baseUrl: "https://models.example.com/v1", model: "small" },
  logging: { level: "warn" },
};

it("[PROGRESS-8] sections 7.2 and 7.3: the environment goes before the file, and the file before what is usual", async () => {
  expect(await settings(undefined)).toEqual({
    summaries: undefined,
    progressLogLevel: undefined,
    notices: [],
  });
  expect(await settings(undefined, { OPENAI_API_KEY: apiKey })).toMatchObject({ summaries: { apiKey } });
  expect(await settings(whole, { OPENAI_API_KEY: apiKey })).toMatchObject({
    summaries: { apiKey, baseUrl: "https://models.example.com/v1", model: "small" },
    progressLogLevel: "warn",
  });
  const env = {
    OPENAI_API_KEY: apiKey,
    OPENAI_BASE_URL: "http://127.0.0.1:11434/v1",
    AGENT_PROGRESS_MODEL: "local",
    AGENT_PROGRESS_LOG_LEVEL: "DEBUG",
  };
  expect(await settings(whole, env)).toMatchObject({
    summaries: { apiKey, baseUrl: "http://127.0.0.1:11434/v1", model: "local" },
    progressLogLevel: "debug",
  });
});

it("[PROGRESS-8] a project's file that nobody trusts, or has changed since, sends no key and no variable anywhere", async () => {
  const env = { OPENAI_API_KEY: apiKey, HUSH: "hush" };
  const evil = { ...whole, openai: { ...whole.openai, baseUrl: `http://127.0.0.1:9/$${"{HUSH}"}` } };
  const { summaries, notices } = await settings(evil, env, false);
  expect(summaries).toBeUndefined();
  expect(notices).toEqual([expect.stringContaining("merkle trust")]);
  expect(await settings(evil, {}, false)).toMatchObject({ summaries: undefined });

  const cwd = await mkdtemp(join(tmpdir(), "merkle-progress-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const path = join(cwd, "agent-progress.config.json");
  await writeFile(path, JSON.stringify(evil).replace("${H", "\\u0024{H"));
  const foreign = findForeignSettings({ environment: env, cwd });
  expect(foreign?.says.join()).toContain("HUSH, OPENAI_API_KEY".split(", ").reverse().join(", "));
  expect(foreign?.says.join()).not.toContain("hush");
  if (foreign) trustFile(cwd, foreign);
  const read = async (now = env) => readProgressSettings({ environment: now, cwd, home: cwd }).summaries;
  expect(await read()).toMatchObject({ baseUrl: "http://127.0.0.1:9/hush", model: "small" });
  // With a different environment, the same text in the file resolves to a different address, which is not
  // trusted.
  expect(await read({ ...env, HUSH: "louder" })).toBeUndefined();
  await writeFile(path, JSON.stringify(evil).replace(":9/", ":10/"));
  expect(await read()).toBeUndefined();
  const own = { ...env, OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" };
  expect(await read(own)).toEqual({ apiKey, baseUrl: own.OPENAI_BASE_URL, model: undefined });
});

it("[PROGRESS-8] a key of one source never goes to an address of another, nor a project's in clear text", async () => {
  const ofFile = { openai: { apiKey, baseUrl: "https://models.example.com/v1" } };
  const other = { OPENAI_API_KEY: "sk-test-other" };
  const gateway = { OPENAI_BASE_URL: "https://gateway.example.com" };
  expect(await settings(ofFile, other)).toMatchObject({
    summaries: { apiKey: "sk-test-other", baseUrl: undefined },
    notices: [expect.stringContaining("baseUrl in agent-progress.config.json is not used")],
  });
  expect(await settings({ openai: { apiKey } }, gateway)).toMatchObject({
    summaries: { apiKey, baseUrl: undefined },
    notices: [expect.stringContaining("OPENAI_BASE_URL is not used")],
  });
  const clear = settings({ openai: { apiKey, baseUrl: "http://models.example.com" } });
  await expect(clear).rejects.toThrow("unencrypted");
});

it("[PROGRESS-8] without a key, or with one that the file takes from nowhere, nobody summarises and the broker starts", async () => {
  expect(await settings(whole)).toMatchObject({ summaries: undefined });
  expect(await settings({ openai: { apiKey: "" } })).toMatchObject({ summaries: undefined });
});

it("[PROGRESS-8] an address that the environment names needs no key, and a file's without one is not used", async () => {
  const local = { OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" };
  const { summaries } = await settings(undefined, local);
  expect(summaries).toEqual({ apiKey: undefined, baseUrl: local.OPENAI_BASE_URL, model: undefined });
  expect(describeSummaries(summaries)).toBe("on: gpt-4o-mini at 127.0.0.1:11434");
  expect(await settings(whole, local)).toMatchObject({ summaries: { apiKey: undefined, model: "small" } });
  expect(await settings({ openai: { baseUrl: "https://models.example.com" } })).toMatchObject({
    summaries: undefined,
  });
  expect(describeSummaries(undefined)).toContain("off");
});

it("[PROGRESS-8] says that a path of a database is not used", async () => {
  expect((await settings(whole)).notices).toEqual([
    "dbPath in agent-progress.config.json is not used: progress entries are in Merkle's own database.",
  ]);
  const { notices } = await settings(undefined, { AGENT_PROGRESS_DB_PATH: "~/data.db" });
  expect(notices).toEqual([expect.stringContaining("AGENT_PROGRESS_DB_PATH is not used")]);
});

it("[PROGRESS-8] section 7.4: what is wrong is named, and no value that may be secret is repeated", async () => {
  const wrong: [unknown, Record<string, string>, string][] = [
    [`{"openai": {"apiKey": "${apiKey}"`, {}, "agent-progress.config.json is not valid JSON."],
    [[], {}, "agent-progress.config.json must be a JSON object."],
    [{ openai: { apiKey: 7 } }, {}, "apiKey in agent-progress.config.json must be text."],
    [{ openai: { model: " " } }, {}, "model in agent-progress.config.json must name a model."],
    [undefined, { OPENAI_BASE_URL: `ftp://${apiKey}@x` }, "OPENAI_BASE_URL must be an address"],
    [undefined, { AGENT_PROGRESS_LOG_LEVEL: "loud" }, "AGENT_PROGRESS_LOG_LEVEL must be one of debug, info"],
  ];
  for (const [file, env, message] of wrong) {
    const failure = await settings(file, env).catch((error: Error) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
    expect(String(failure)).not.toContain(apiKey);
  }
});

it("[CLI-82] a link to something that is not a file is refused, and never read", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "merkle-progress-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  for (const other of ["/dev/zero", cwd]) {
    const path = join(cwd, "agent-progress.config.json");
    await symlink(other, path);
    expect(() => findForeignSettings({ environment: {}, cwd })).toThrow("must be a file of at most 1 MB");
    await rm(path);
  }
});

it("[CLI-82] [CLI-85] an .env file sets neither model nor address until it is trusted, and never the address for a key of the environment", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "merkle-progress-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const text =
    "OPENAI_BASE_URL=https://evil.example.com/v1\nAGENT_PROGRESS_MODEL=theirs\nAGENT_PROGRESS_LOG_LEVEL=debug\n";
  await writeFile(join(cwd, ".env"), text);
  const featureSettings = Object.values(feature.settings ?? {});
  const read = (env: Record<string, string>) =>
    readConfig({ flags: {}, env: { MERKLE_HOME: cwd, ...env }, cwd, envFiles: true, featureSettings });
  const before = await read({});
  expect(before.notices).toEqual([
    `${join(cwd, ".env")} is read: AGENT_PROGRESS_LOG_LEVEL`,
    `${join(cwd, ".env")} is not read for AGENT_PROGRESS_MODEL, OPENAI_BASE_URL because you have not trusted it: merkle trust`,
  ]);
  for (const file of findForeignEnvFiles({ cwd, featureSettings })) trustFile(cwd, file);
  expect(readProgressSettings(await read({ OPENAI_API_KEY: "sk-own" })).summaries).toEqual({
    ...{ apiKey: "sk-own", baseUrl: undefined, model: "theirs" },
  });
  expect(readProgressSettings(await read({})).summaries).toMatchObject({
    baseUrl: "https://evil.example.com/v1",
  });
});
