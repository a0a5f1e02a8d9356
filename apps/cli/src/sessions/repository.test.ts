import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  findRepository,
  findRepositoryFile,
  normaliseRemote,
  resolveFile,
  resolveScope,
  toRepositoryKey,
} from "./repository.js";

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "merkle-repository-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function makeRepository(folder: string, remote?: string): string {
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "pipe" });
  git("init", "-q");
  git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "first");
  if (remote !== undefined) git("remote", "add", "origin", remote);
  return folder;
}

it("[CLAIM-7] https and ssh addresses of a remote are equal, and contain no user and no token", () => {
  const forms = [
    "https://github.com/Acme/app.git",
    "https://github.com/acme/app",
    "https://ana:ghp_secret@github.com/acme/app.git/",
    "https://ghp_secret@github.com:443/acme/app.git?token=secret",
    "git@github.com:acme/app.git",
    "ssh://git@github.com:22/acme/app.git",
    "ssh://git@ssh.github.com:443/acme/app.git",
    "git://github.com/acme/app",
  ];
  for (const form of forms) expect(normaliseRemote(form), form).toBe("github.com/acme/app");
  expect(normaliseRemote("git@ssh.dev.azure.com:v3/acme/web/app")).toBe(
    normaliseRemote("https://acme@dev.azure.com/acme/web/_git/app"),
  );
  expect(normaliseRemote("https://git.acme.example/scm/web/app.git")).toBe(
    normaliseRemote("ssh://git@git.acme.example:7999/web/app.git"),
  );
  for (const path of ["/srv/app.git", "../app", "file:///srv/app.git", "C:\\app"])
    expect(normaliseRemote(path), path).toBeNull();
});

it("[CLAIM-7] all worktrees and clones of a repository are one, and two repositories are not", () => {
  const folder = makeFolder();
  const main = makeRepository(join(folder, "main"));
  execFileSync("git", ["-C", main, "worktree", "add", "-q", join(main, ".work/other")], { stdio: "pipe" });
  const other = makeRepository(join(folder, "other"));
  const address = findRepository(main);
  expect(findRepositoryFile(join(main, ".work/other/src/a.ts"), main)).toEqual({ address, path: "src/a.ts" });
  expect(findRepository(other)).not.toBe(address);

  const cloned = makeRepository(join(folder, "one"), "git@github.com:acme/app.git");
  const again = makeRepository(join(folder, "two"), "https://token@github.com/acme/app");
  expect(findRepository(cloned)).toBe("github.com/acme/app");
  expect(findRepository(again)).toBe("github.com/acme/app");
  expect(findRepository(folder)).toBeNull();

  const key = toRepositoryKey("github.com/acme/app", "session one");
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(toRepositoryKey("github.com/acme/app", "session two")).not.toBe(key);
});

it("[CLAIM-7] a path on this machine is claimed from its repository's root", () => {
  const root = makeRepository(join(makeFolder(), "app"));
  mkdirSync(join(root, "packages/web/src"), { recursive: true });
  writeFileSync(join(root, "packages/web/src/a.ts"), "");
  const web = join(root, "packages/web");
  const resolved = (scope: string) => resolveScope(scope, web).scope;
  expect(resolved("src/a.ts")).toBe("repo:packages/web/src/a.ts");
  expect(resolved("src/**")).toBe("repo:packages/web/src/**");
  expect(resolved("../src/")).toBe("repo:packages/src/");
  expect(resolved("packages/web/src/a.ts")).toBe("repo:packages/web/src/a.ts");
  expect(resolved(join(web, "new.ts"))).toBe("repo:packages/web/new.ts");
  for (const scope of ["repo:src/a.ts", "issue:#12", "deploy"]) expect(resolved(scope)).toBe(scope);
});

it("[TASK-14] a task's file is resolved as a path, also if it is a single word", () => {
  const root = makeRepository(join(makeFolder(), "app"));
  mkdirSync(join(root, "packages/web"), { recursive: true });
  const web = join(root, "packages/web");
  expect(resolveFile("Makefile", web)).toBe("repo:packages/web/Makefile");
  expect(resolveFile("packages", web)).toBe("repo:packages");
  expect(resolveFile("src/", web)).toBe("repo:packages/web/src/");
  expect(resolveFile("repo:Makefile", web)).toBe("repo:Makefile");
});
