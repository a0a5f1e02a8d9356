import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Terminal } from "../../claude/kit/terminal.js";
import type { Cleanup } from "../../kit/test-database.js";

/** How a test configures a client and controls it at a terminal. */
export interface DrivenClient {
  readonly name: "claude" | "codex" | "gemini" | "opencode" | "copilot";
  /** True if the client can be woken when it is idle. */
  readonly isWoken: boolean;
  /** The files in the user's home before the installation, keyed by path relative to the home. */
  files(machine: Machine): Readonly<Record<string, string>>;
  env(machine: Machine): Readonly<Record<string, string>>;
  /** The arguments that the user always passes to the client. */
  readonly args: readonly string[];
  /** Matches the screen when the client accepts prompts. */
  readonly ready: RegExp;
  /** The keys that answer the client's questions at its first start. */
  readonly questions: readonly { readonly shows: RegExp; readonly keys: readonly string[] }[];
  /** Returns the arguments that resume a conversation. */
  resume(conversation: string): readonly string[];
  readonly quit: readonly string[];
}

export interface Machine {
  readonly home: string;
  readonly project: string;
  readonly modelUrl: string;
}

const key = "sk-ant-of-no-use";

export const drivenClients: readonly DrivenClient[] = [
  {
    name: "codex",
    isWoken: true,
    files: ({ project, modelUrl }) => ({
      ".codex/config.toml": [
        'model = "fake" # mine\nmodel_provider = "fake"\n',
        `[model_providers.fake]\nname = "fake"\nbase_url = "${modelUrl}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\n`,
        `[projects."${project}"]\ntrust_level = "trusted"\n`,
      ].join("\n"),
    }),
    env: () => ({ FAKE_KEY: key }),
    args: [],
    ready: /Ask Codex|for shortcuts/,
    questions: [{ shows: /Trust all and continue/, keys: ["2", "Enter"] }],
    resume: (conversation) => ["resume", conversation],
    quit: ["/quit", "Enter"],
  },
  {
    name: "opencode",
    isWoken: true,
    files: ({ modelUrl }) => ({
      ".config/opencode/opencode.jsonc": `{
  // mine
  "$schema": "https://opencode.ai/config.json",
  "model": "fake/fake",
  "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": {"baseURL": "${modelUrl}/v1", "apiKey": "x"}, "models": {"fake": {"name": "fake"}}}},
}
`,
    }),
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    args: [],
    ready: /Ask anything|ctrl\+p/,
    questions: [],
    resume: (conversation) => ["--session", conversation],
    quit: ["C-c", "C-c"],
  },
  {
    name: "copilot",
    isWoken: true,
    files: () => ({ ".copilot/settings.json": '{"experimental": true}\n' }),
    env: ({ modelUrl }) => ({
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: "x",
      COPILOT_MODEL: "fake",
      COPILOT_OFFLINE: "true",
    }),
    args: ["--no-auto-update"],
    ready: /\/ commands/,
    questions: [{ shows: /Do you trust the files/, keys: ["Enter"] }],
    resume: (conversation) => [`--resume=${conversation}`],
    quit: ["/exit", "Enter"],
  },
  {
    name: "gemini",
    isWoken: false,
    files: () => ({
      ".gemini/settings.json": `{
  // mine
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"enableAutoUpdate": false}
}
`,
    }),
    env: ({ modelUrl }) => ({ GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: modelUrl }),
    args: ["--skip-trust", "-m", "gemini-2.5-pro"],
    ready: /Type your message/,
    questions: [],
    resume: (conversation) => ["--resume", conversation],
    quit: ["/quit", "Enter"],
  },
  {
    name: "claude",
    isWoken: true,
    files: ({ project }) => ({
      ".claude.json": JSON.stringify({
        hasCompletedOnboarding: true,
        lastOnboardingVersion: "99.0.0",
        theme: "dark",
        customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }),
    }),
    env: ({ modelUrl }) => ({
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: modelUrl,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    }),
    args: ["--permission-mode=acceptEdits"],
    ready: /❯/,
    questions: [],
    resume: (conversation) => ["--resume", conversation],
    quit: ["/exit", "Enter"],
  },
];

export function getDrivenClient(name: DrivenClient["name"]): DrivenClient {
  const client = drivenClients.find((each) => each.name === name);
  if (!client) throw new RangeError(`There is no client ${name}.`);
  return client;
}

const cache = fileURLToPath(new URL("../../../node_modules/.cache", import.meta.url));

/** Creates a home inside folders that only its owner may write to. Gemini reads no settings from other folders. */
export async function makeHome(
  client: DrivenClient,
  modelUrl: string,
  cleanup: Cleanup,
): Promise<Machine & { readonly files: Readonly<Record<string, string>> }> {
  await mkdir(cache, { recursive: true });
  const home = await mkdtemp(join(cache, "client-"));
  cleanup(() => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const machine = { home, project: join(home, "project"), modelUrl };
  await mkdir(machine.project);
  await mkdir(join(home, "tmp"));
  const files = client.files(machine);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  return { ...machine, files };
}

/** Answers the client's questions. Resolves when the client accepts prompts and its agent has joined. */
export async function untilReady(
  client: DrivenClient,
  terminal: Terminal,
  isThere: () => Promise<boolean>,
): Promise<void> {
  const open = [...client.questions];
  await untilShown(terminal, "it never took prompts, or its agent never came", async (screen) => {
    const index = open.findIndex(({ shows }) => shows.test(screen));
    const [question] = index < 0 ? [] : open.splice(index, 1);
    if (question) await pressAll(terminal, question.keys);
    return !question && client.ready.test(screen) && (await isThere());
  });
}

/** Waits until a terminal shows a given state. On timeout, throws an error that contains the last screen. */
export async function untilShown(
  terminal: Terminal,
  failure: string,
  isSo: (screen: string) => Promise<boolean>,
): Promise<void> {
  let screen = "";
  const deadline = performance.now() + 240_000;
  do {
    screen = await terminal.readScreen();
    if (await isSo(screen)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  } while (performance.now() < deadline);
  throw new Error(`${failure}; it shows:\n${screen.trim()}`);
}

/**
 * Presses keys one by one, with pauses. Clients mistake a line break that arrives together with text for pasted text.
 */
export async function pressAll(terminal: Terminal, keys: readonly string[]): Promise<void> {
  for (const each of keys) {
    await terminal.press(each);
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
}
