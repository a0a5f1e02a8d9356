import { isObject } from "../core/is-object.js";
import { findRisks } from "./command-risks.js";

/**
 * Returns the command that a tool call runs, if a person may allow it again for the rest of the agent's launch
 * (APPROVE-16). Returns null for everything that removes, reaches the network or names production, and for
 * everything whose effect the text does not show. A command that is returned is not shown to be harmless.
 *
 * @param input - the tool's input as JSON
 */
export function findRepeatableCommand(input: string): string | null {
  const command = parseCommand(input);
  if (command === null || findRisks(`${command}\n`).length > 0) return null;
  const parts = readPlainParts(command);
  return parts?.every(isRepeatablePart) ? command : null;
}

/** Fields that do not change what the command does. `description` is the agent's own reason. */
const plainFields: ReadonlySet<string> = new Set(["command", "description", "timeout"]);

function parseCommand(input: string): string | null {
  try {
    const fields: unknown = JSON.parse(input);
    if (!isObject(fields) || Object.keys(fields).some((name) => !plainFields.has(name))) return null;
    return typeof fields["command"] === "string" ? fields["command"] : null;
  } catch {
    return null;
  }
}

const plainWord = /^(?:[\w./:=,+%-]+|'[\w ./:=,+%-]*'|"[\w ./:=,+%-]*")$/;

/**
 * Splits a command into the programs that it runs, with their arguments. Returns null if the shell would change the
 * text before running it, for instance by variables, patterns, redirections or escapes.
 */
function readPlainParts(command: string): string[][] | null {
  const parts = command.split(/&&|\|\||[|;\n]/).map((part) => part.match(/"[^"]*"|'[^']*'|[^\s]+/g) ?? []);
  if (!parts.every((words) => words.length > 0 && words.every((word) => plainWord.test(word)))) return null;
  return parts.map((words) => words.map((word) => word.replaceAll(/["']/g, "")));
}

/** Programs that run another text or program, run as someone else, replace files, or reach further than their text. */
const unclearPrograms: ReadonlySet<string> = new Set(
  `. ansible ansible-playbook apk apt apt-get at awk bash brew builtin bundle chmod chown chroot claude codex
  command cp crontab dash deno dig dnf doas docker ed emacs env eval ex exec fish gem gemini gunzip hg host
  install ksh launchctl ln mail merkle mongosh mount mv mysql nice nmap nohup nslookup open opencode openssl
  osascript parallel patch perl ping pip pip3 podman poetry powershell psql pulumi pwsh reboot redis-cli ruby
  screen script sed sendmail service setsid sh shutdown socat source sqlite3 ssh-add su sudo svn systemctl tar tee
  terraform time timeout tmux trap umount unzip vi vim watch xargs xdg-open yarn yum zip zsh`.split(/\s+/),
);

/** What Git may do. Everything else of it changes a repository, or may reach another one. */
const readingOfGit: ReadonlySet<string> = new Set([
  "blame",
  "describe",
  "diff",
  "log",
  "ls-files",
  "show",
  "status",
]);

/** Arguments that make a program run a text, run another program, or write a file. */
const unclearArguments =
  /^(?:-[a-z]*[ceio]|--(?:eval|exec|command|in-place|output|out)(?:=.*)?|-exec(?:dir)?|-ok(?:dir)?|-fprint\w*)$/i;

/** Words that name what a person wants to see each time, also as a part of a script's name. */
const unclearWords: ReadonlySet<string> = new Set(
  `abort add amend apply checkout clean clear config delete deploy destroy dlx download drop erase exec fetch flush
  force format gc http install kill live login migrate overwrite prune publish pull purge push rebase release
  remove reset restore rollback seed send serve stash switch sync teardown truncate undo uninstall update upgrade
  upload version wipe`.split(/\s+/),
);

function isRepeatablePart(words: readonly string[]): boolean {
  // The shell takes away quotes, behind which a risk is not found.
  if (findRisks(`${words.join(" ")}\n`).length > 0) return false;
  const [program = "", ...others] = words;
  // An assignment before the program can change which program runs.
  if (program.includes("=") || unclearPrograms.has(program.split("/").at(-1) ?? "")) return false;
  if (program === "git" && !readingOfGit.has(others[0] ?? "")) return false;
  if (others.some((word) => unclearArguments.test(word))) return false;
  return words.every((word) =>
    word
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[^a-z]+/)
      .every((each) => !unclearWords.has(each)),
  );
}
