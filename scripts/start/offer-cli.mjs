/** Lets `npm start` ask whether to put `merkle` on the PATH. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { holdLines, root } from "../steps.mjs";

/**
 * Asks once in a terminal, while the build continues. Build output waits for the answer. `--yes` answers the question.
 *
 * @param {{ isYes: boolean, isQuiet: boolean }} flags
 * @returns {{ settle(merkle: string): Promise<void> }} `settle` withdraws an open question, which is asked again next time, and
 * installs the command if the answer is yes
 */
export function offerCli({ isYes, isQuiet }) {
  if (isYes) return { settle: (merkle) => install(merkle) };
  if (isQuiet || !canAsk() || !isNeeded()) return { settle: async () => {} };
  const question = ask("Put the command merkle into ~/.local/bin, to use it in any folder? [Y/n] ");
  void question.answer.then((answer) => answer !== undefined && remember(answer));
  return {
    async settle(merkle) {
      question.withdraw();
      if (await question.answer) await install(merkle);
    },
  };
}

function canAsk() {
  return process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CI;
}

/**
 * True if the question has not been answered, and neither the command nor another file with the command's name exists.
 * Not on Windows, where the command is installed differently.
 */
function isNeeded() {
  if (process.platform === "win32" || readAnswer() !== undefined) return false;
  const folders = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !/[/\\]node_modules[/\\]/.test(folder));
  return ![...folders, join(homedir(), ".local/bin")].some((folder) => existsSync(join(folder, "merkle")));
}

/** Asks the question. Resolves with undefined if it is withdrawn. */
function ask(text) {
  const release = holdLines();
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  let isAnswered = false;
  const answer = new Promise((resolve) => {
    lines.question(text, (typed) => {
      isAnswered = true;
      resolve(/^(?:y|yes|)$/i.test(typed.trim()));
      lines.close();
    });
    lines.on("close", () => {
      if (!isAnswered) process.stderr.write("\n");
      resolve(undefined);
      release();
    });
  });
  // While the question is open, the terminal is in raw mode and does not send the signal itself.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  return { answer, withdraw: () => lines.close() };
}

/**
 * Installs the command, a script that runs this checkout's program, so later builds apply. A failure does not keep the broker
 * from starting.
 */
function install(merkle) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [merkle, "install", "--cli", "--quiet"], { stdio: "inherit" });
    child.on("error", done);
    child.on("exit", done);
  });
}

/**
 * Returns the path of the file that stores the answer. The file is separate from the record of the installed command,
 * which `merkle uninstall --cli` removes.
 */
function answerFile() {
  const { MERKLE_HOME } = process.env;
  if (MERKLE_HOME === undefined) return join(homedir(), ".merkle", "start.json");
  const home = /^~(?=\/|$)/.test(MERKLE_HOME)
    ? join(homedir(), MERKLE_HOME.slice(1))
    : resolve(root, MERKLE_HOME);
  return join(home, "start.json");
}

function readAnswer() {
  try {
    return JSON.parse(readFileSync(answerFile(), "utf8")).path;
  } catch {
    // The question has not been asked yet.
    return undefined;
  }
}

function remember(isWanted) {
  try {
    mkdirSync(dirname(answerFile()), { recursive: true, mode: 0o700 });
    writeFileSync(answerFile(), `${JSON.stringify({ path: isWanted })}\n`, { mode: 0o600 });
  } catch {
    // The broker reports problems with its home.
  }
}
