import { expect, it } from "vitest";
import { findRepeatableCommand } from "./repeatable-command.js";

const find = (command: string, more: object = {}) =>
  findRepeatableCommand(JSON.stringify({ command, ...more }));

it.each([
  "npm test",
  "npm run lint && npm run typecheck",
  "git status; git diff --stat",
  "cargo test --workspace",
  "python3 -m pytest tests/unit -q",
  "grep -rn 'two words' src | head -20",
  "./scripts/check.sh packages/wire",
])("[APPROVE-16] can be allowed again: %s", (command) => {
  expect(find(command, { description: "check", timeout: 60_000 })).toBe(command);
});

it.each([
  ["removes", "rm -rf build"],
  ["removes, at the end of the text", "ls && rm"],
  ["removes, in quotes", "'rm' -rf build"],
  ["removes, by its script's name", "npm run clean"],
  ["removes, by a script's name in camel case", "node scripts/resetAll.mjs"],
  ["replaces a file", "mv a b"],
  ["replaces a file by redirection", "echo a > b"],
  ["changes files in place", "sed -i s/a/b/ file"],
  ["reaches the network", "curl example.com"],
  ["reaches the network by a script's name", "npm run upload:docs"],
  ["touches production", "node migrate.mjs --env prod"],
  ["touches production by a script's name", "./deploy.sh"],
  ["runs a text", 'node -e "1"'],
  ["runs a text in a shell", "sh check.sh"],
  ["runs another program", "find . -name a -exec cat b +"],
  ["runs as someone else", "sudo npm test"],
  ["downloads what it runs", "go run a.example/tool@latest"],
  ["downloads what it runs, by the package manager", "npm exec tool"],
  ["discards changes", "git checkout src"],
  ["changes a repository", "git merge other"],
  ["changes what a program does", "git config core.pager a"],
  ["replaces files from an archive", "tar xf a.tar"],
  ["installs packages", "npm ci"],
  ["installs packages, by a program that does so without words", "yarn"],
  ["writes a file", "sort -o names names"],
  ["runs another agent", "claude -p hello"],
  ["has a variable", "npm test $FLAGS"],
  ["has a substitution", "npm test $(cat flags)"],
  ["has a backtick", "npm test `cat flags`"],
  ["has a pattern", "cat *.txt"],
  ["has an escape", "r\\m -r build"],
  ["has a comment", "npm test # all"],
  ["runs in the background", "npm test & ls"],
  ["sets a variable first", "PATH=/tmp npm test"],
  ["has an open quote", "grep 'a b"],
  ["joins quotes to words", "r'm' -r build"],
  ["is empty", " "],
  ["is not ASCII", "npm test\u200b"],
])("[APPROVE-16] is asked each time, because it %s", (_why, command) => {
  expect(find(command)).toBeNull();
});

it("[APPROVE-16] is asked each time if it is not a command, or has further fields", () => {
  expect(findRepeatableCommand("npm test")).toBeNull();
  expect(findRepeatableCommand('{"file_path":"a","content":"b"}')).toBeNull();
  expect(findRepeatableCommand('{"command":["bash","-lc","npm test"]}')).toBeNull();
  expect(find("npm test", { run_in_background: true })).toBeNull();
  expect(find("npm test", { dangerouslyDisableSandbox: true })).toBeNull();
});
