import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readProgressSettings } from "./read-settings.js";

const apiKey = "sk-test-5up3r-s3cr3t";

/** What is read in a folder with that file. */
async function settings(file: unknown, env: Record<string, string> = {}) {
  const cwd = await mkdtemp(join(tmpdir(), "merkle-progress-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const text = typeof file === "string" ? file : JSON.stringify(file);
  if (file !== undefined) await writeFile(join(cwd, "agent-progress.config.json"), text);
  return readProgressSettings({ env, cwd });
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

it("[PROGRESS-8] without a key, or with one that the file takes from nowhere, nobody summarises and the broker starts", async () => {
  expect(await settings(whole)).toMatchObject({ summaries: undefined });
  expect(await settings({ openai: { apiKey: "" } })).toMatchObject({ summaries: undefined });
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
    [`{"openai": {"apiKey": "${apiKey}"`, {}, "agent-progress.config.json is no JSON."],
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
