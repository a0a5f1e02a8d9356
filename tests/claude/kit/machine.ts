import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cleanup } from "../../kit/test-database.js";

/** A user's machine with a home, a configured Claude Code, a project and a Merkle home. */
export interface Machine {
  readonly merkleHome: string;
  readonly project: string;
  /** The folder for temporary files, which also contains sockets. */
  readonly temporary: string;
  /**
   * Returns the complete environment for programs on the machine. It contains none of the test process's own variables.
   */
  env(options: { readonly modelUrl: string; readonly brokerUrl: string }): Record<string, string>;
}

const apiKey = "sk-ant-of-no-use";

/** Creates a machine. @param settings - the user's Claude Code settings */
export async function makeMachine(cleanup: Cleanup, settings: object = {}): Promise<Machine> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "merkle-machine-")));
  cleanup(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const below = async (name: string) => {
    await mkdir(join(folder, name));
    return join(folder, name);
  };
  const home = await below("home");
  const config = await below("config");
  const project = await below("project");
  const temporary = await below("tmp");
  await writeFile(join(config, "settings.json"), JSON.stringify(settings));
  // Answers to the questions that the client asks at its first start: the theme, the use of the API key, and whether to
  // trust the folder.
  const answers = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: "99.0.0",
    theme: "dark",
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  await writeFile(join(config, ".claude.json"), JSON.stringify(answers));
  const merkleHome = join(home, ".merkle");
  return {
    merkleHome,
    project,
    temporary,
    env: ({ modelUrl, brokerUrl }) => ({
      PATH: process.env["PATH"] ?? "",
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      HOME: home,
      TMPDIR: temporary,
      CLAUDE_CONFIG_DIR: config,
      MERKLE_HOME: merkleHome,
      MERKLE_URL: brokerUrl,
      ANTHROPIC_API_KEY: apiKey,
      ANTHROPIC_BASE_URL: modelUrl,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
    }),
  };
}
