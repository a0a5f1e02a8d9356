import { expect, it } from "vitest";
import { commands } from "./commands.js";
import { hasCommand } from "./test-kit/has-command.js";
import { needsProcess } from "./test-kit/merkle.js";
import { setUpSharedMerkle } from "./test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

/**
 * One call of each command that tests usually run inside the test process, with the expected exit code and
 * part of the expected output.
 */
const calls: readonly (readonly [words: string, code: number, printed: string])[] = [
  ["version", 0, "0."],
  ["completion bash", 0, "_merkle() {"],
  ["config path", 0, "config.json"],
  ["config list", 0, "broker at http://localhost:"],
  ["config set name Ana --local", 0, "✓ name Ana in "],
  ["config get idle_polls", 0, "10"],
  ["config edit", 2, "Only a person at a terminal"],
  ["trust", 2, "merkle trust needs a person"],
  ["status", 0, "broker up "],
  ["nodes", 0, "serves this request"],
  ["logs --lines 1", 0, "broker started"],
  ["gc", 0, "nothing to delete"],
  ["new Auth --slug auth", 0, "✓ auth"],
  ["post auth hello", 0, "✓ #1 posted"],
  ["ls", 0, "auth  Auth"],
  ["show auth", 0, "auth · open since "],
  ["brief auth", 0, "nothing new"],
  ["inbox", 0, "nothing needs you"],
  ["undelivered auth", 0, "every message has been delivered"],
  ["usage auth", 0, "no usage reported"],
  ["redact auth 1 -y", 0, "removed"],
  ["rename auth Login --reason clearer", 0, '✓ "Auth" → "Login"'],
  ["agents", 0, "no agents in open sessions"],
  ["peers auth", 0, "Ana (human)"],
  ["verify-peer nobody --session auth", 5, 'There is no "nobody" in this session'],
  ["nudge auth nobody", 5, "nobody"],
  ["hold auth", 0, "✓ held by Ana"],
  ["resume auth", 0, "✓ resumed"],
  ["whoami", 0, "you       Ana, verified"],
  ["join -", 2, "This is not an invite."],
  ["invite auth", 4, "it has no members, invites or tokens"],
  ["invite list", 0, "no invites"],
  ["invite revoke 1", 4, "it has no members, invites or tokens"],
  ["members", 0, "no members"],
  ["member revoke nobody", 5, 'There is no member "nobody".'],
  ["observe auth", 4, "it has no members, invites or tokens"],
  ["token create", 4, "it has no members, invites or tokens"],
  ["token list", 0, "no tokens"],
  ["token revoke 1", 4, "it has no members, invites or tokens"],
  ["mesh create other", 0, "✓ created mesh other"],
  ["mesh list", 0, "other  0 sessions"],
  ["mesh quota other", 0, "no limits"],
  ["doc append auth Tokens", 0, "✓ document v1"],
  ["doc show auth", 0, "Tokens"],
  ["doc edit auth --old Tokens --new Keys", 0, "✓ document v2"],
  ["doc history auth", 0, "v2  Ana"],
  ["doc diff auth", 0, "+Keys"],
  ["doc comment auth why", 0, "✓ topic 1"],
  ["doc topics auth", 0, "1  open  Ana"],
  ["doc reply auth 1 because", 0, "✓ topic 1, message 2"],
  ["doc proposals auth", 0, "no proposals"],
  ["doc accept auth 1 -y", 5, "There is no proposal 1"],
  ["doc reject auth 1", 5, "There is no proposal 1"],
  ["doc return auth 1 more", 5, "There is no proposal 1"],
  ["doc rebase auth 1", 5, "There is no proposal 1"],
  ["source list", 0, "no roots"],
  ["source show docs/a.md", 5, "This broker has no root docs."],
  ["source topics docs/a.md", 0, "no topics"],
  ["source comment docs/a.md why", 5, "This broker has no root docs."],
  ["source reply docs/a.md 1 because", 5, "docs/a.md has no topic 1."],
  ["source incorporate docs/a.md 1", 5, "This broker has no root docs."],
  ["source proposals docs/a.md", 0, "no proposals"],
  ["source accept 1 -y", 5, "There is no proposal 1"],
  ["source reject 1", 5, "There is no proposal 1"],
  ["source return 1 more", 5, "There is no proposal 1"],
  ["source rebase 1", 5, "There is no proposal 1"],
  ["task add auth Rotate", 0, "1  open  Rotate"],
  ["tasks auth", 0, "1  open  Rotate"],
  ["task claim auth 1", 0, "1  claimed  Rotate  Ana"],
  ["task block auth 1 2", 2, "There is no task 2 to wait for"],
  ["task done auth 1", 0, "✓ task 1 done"],
  ["claims auth", 0, "no claims"],
  ["approvals", 0, "no pending approvals"],
  ["state set auth frozen true", 0, "frozen: none → true"],
  ["state get auth frozen", 0, "true"],
  ["state list auth", 0, "frozen  true  v1  Ana"],
  ["state unset auth frozen", 0, "✓ frozen deleted, v2"],
  ["watch nowhere", 5, "nowhere"],
  ["state watch nowhere", 5, "nowhere"],
  ["__complete sho", 0, "show"],
  ["remember limits", 0, "✓ mem_1"],
  ["recall limits", 0, "mem_1  «limits»"],
  ["forget mem_1 --reason old", 0, "✓ mem_1 is hidden"],
  ["search Login", 0, "auth"],
  ["progress log Done well --project p", 0, "in project p"],
  ["progress search --project p", 0, "Done  Ana"],
  ["progress show abc --project p", 5, "Entry not found: abc in project p"],
  ["jobs list", 0, "no jobs"],
  ["jobs run auth conclude", 0, "job 1 queued"],
  ["jobs show 9", 5, "There is no job 9"],
  ["jobs cancel 9", 5, "There is no job 9"],
  ["perspective auth", 0, "no reviews yet"],
  ["seal auth", 0, "not concluded yet"],
  ["conclude auth over", 0, "✓ concluded auth"],
  ["tail auth --until-closed", 0, "Ana"],
  ["archive auth", 6, "This broker has no archive."],
  ["unarchive auth", 0, "✓ auth is back"],
  ["person erase me -y", 0, "and other data about you removed"],
  ["down", 0, "stopped"],
];

it("[PACK-3] every command runs from the bundle", async () => {
  const known = calls.filter(([words]) => words.startsWith("__complete") || hasCommand(words.split(" ")));
  for (const [words, code, printed] of known) {
    const ended = await merkle.start(words.split(" "), { input: "" }).ended;
    expect.soft({ code: ended.code, text: ended.stdout + ended.stderr }, words).toEqual({
      code,
      text: expect.stringContaining(printed),
    });
  }
  const rest = commands.map(({ name }) => name).filter((name) => !needsProcess(name.split(" ")));
  expect(rest.filter((name) => !calls.some(([words]) => `${words} `.startsWith(`${name} `)))).toEqual([]);
});
