import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readCheckout } from "./read-checkout.js";

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "merkle-checkout-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function gitIn(folder: string) {
  const author = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"];
  return (...args: string[]) => execFileSync("git", ["-C", folder, ...author, ...args], { stdio: "pipe" });
}

it("[CHECKOUT-3] names repository, branch and worktree without user names and tokens, and counts what changed since main", async () => {
  const folder = makeFolder();
  const main = join(folder, "main");
  execFileSync("git", ["init", "-q", "-b", "main", main], { stdio: "pipe" });
  const git = gitIn(main);
  writeFileSync(join(main, "a.txt"), "one\ntwo\n");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  git("remote", "add", "origin", "https://ana:ghp_secret@github.com/acme/app.git");
  expect(await readCheckout(main)).toEqual({
    ...{ repository: "github.com/acme/app", branch: "main", worktree: null, base: "main" },
    ...{ files: 0, added: 0, removed: 0 },
  });

  const tree = join(folder, "app-tokens");
  git("worktree", "add", "-q", "-b", "tokens", tree);
  const work = gitIn(tree);
  writeFileSync(join(tree, "a.txt"), "one\nthree\nfour\n");
  work("commit", "-q", "-a", "-m", "second");
  writeFileSync(join(tree, "b.txt"), "new\n");
  const shown = await readCheckout(tree);
  expect(shown).toEqual({
    ...{ repository: "github.com/acme/app", branch: "tokens", worktree: "app-tokens", base: "main" },
    ...{ files: 2, added: 2, removed: 1 },
  });
  expect(JSON.stringify(shown)).not.toMatch(/ana|ghp_secret|merkle-checkout/);
});

it("[CHECKOUT-3] a repository without commits or remote has its folder's name, and a folder outside has none", async () => {
  const folder = makeFolder();
  const fresh = join(folder, "fresh");
  execFileSync("git", ["init", "-q", "-b", "main", fresh], { stdio: "pipe" });
  writeFileSync(join(fresh, "a.txt"), "one\n");
  expect(await readCheckout(fresh)).toEqual({
    ...{ repository: "fresh", branch: "main", worktree: null, base: null },
    ...{ files: 1, added: 0, removed: 0 },
  });
  expect(await readCheckout(folder)).toBeNull();
});

it("[CHECKOUT-3] reading runs no program that the repository names", async () => {
  const folder = makeFolder();
  const git = gitIn(folder);
  git("init", "-q", "-b", "main");
  writeFileSync(join(folder, "a.txt"), "one\n");
  writeFileSync(join(folder, ".gitattributes"), "*.txt diff=loud\n");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  const ran = join(folder, "ran");
  const program = join(folder, "program.sh");
  writeFileSync(program, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
  for (const name of ["diff.external", "diff.loud.command", "diff.loud.textconv", "core.fsmonitor"])
    git("config", name, program);
  writeFileSync(join(folder, "a.txt"), "two\n");
  rmSync(ran, { force: true });
  expect(await readCheckout(folder)).toMatchObject({ added: 1, removed: 1 });
  expect(() => rmSync(ran)).toThrow("ENOENT");
});
