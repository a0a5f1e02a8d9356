import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();
let cwd: string;

beforeAll(async () => {
  await merkle.run(["new", "With files"]);
});

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "merkle-files-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "build.log"), "step 1\n");
  await mkdir(join(cwd, "shots"));
  await writeFile(join(cwd, "shots", "a b.bin"), Buffer.from([0, 1, 2]));
});

function run(...args: readonly string[]) {
  return merkle.run(args, { cwd });
}

async function readLast() {
  const { messages } = await callBroker(merkle, "get_history", { session_id: "with-files" });
  return messages.at(-1);
}

it("[CLI-190] [CLI-193] merkle post --file attaches files, whose names are the text if there is none", async () => {
  expect(
    await run("post", "with-files", "See", "--file", "build.log", "--file", "shots/a b.bin"),
  ).toMatchObject({
    code: 0,
  });
  const attachments = [
    { name: "build.log", size: 7, type: "text/plain" },
    { name: "a b.bin", size: 3, type: "application/octet-stream" },
  ];
  expect(await readLast()).toMatchObject({ content: { text: "See", attachments } });
  const tail = await run("tail", "with-files", "--since", "0", "--timeout", "0");
  expect(tail.stdout).toContain(
    'See\n         file: build.log, text/plain, 7 bytes\n         file: "a b.bin"',
  );

  expect(await run("post", "with-files", "--file", "build.log", "--file", "shots/a b.bin")).toMatchObject({
    code: 0,
  });
  expect(await readLast()).toMatchObject({ content: { text: "build.log, a b.bin", attachments } });
});

it("[ATTACH-26] nothing is posted if one of the files is refused", async () => {
  await writeFile(join(cwd, "large.bin"), Buffer.alloc(10_000_001));
  const before = await readLast();
  for (const [file, problem] of [
    ["none.log", "there is no such file"],
    ["shots", "it is a folder"],
    ["large.bin", "a file can have at most 10.0 MB. Nothing was sent."],
  ] as const) {
    const { code, stderr } = await run("post", "with-files", "See", "--file", "build.log", "--file", file);
    expect(code).not.toBe(0);
    expect(stderr).toContain(problem);
  }
  const many = Array.from({ length: 11 }, () => ["--file", "build.log"]).flat();
  expect((await run("post", "with-files", "See", ...many)).stderr).toContain("at most 10 files");
  expect(await readLast()).toEqual(before);
});

it("[ATTACH-25] the shell of an agent attaches only files of its project", async () => {
  const project = join(cwd, "shots");
  const env = { CLAUDECODE: "1", CLAUDE_PROJECT_DIR: project };
  const post = (file: string) =>
    merkle.run(["post", "with-files", "See", "--file", file], { cwd: project, env });
  expect(await post("a b.bin")).toMatchObject({ code: 0 });
  const refused = await post("../build.log");
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain("it is outside the project folder");
});

it("[CLI-191] merkle files lists the newest first, with size, type, message and author", async () => {
  await run("post", "with-files", "One", "--file", "build.log");
  const { stdout } = await run("files", "with-files");
  expect(stdout.split("\n")[0]).toMatch(/^build\.log +7 bytes +text\/plain +#\d+ /);
  const binary = await run("files", "with-files", "--name", "A B", "--json", "name,size");
  expect(JSON.parse(binary.stdout)[0]).toEqual({ name: "a b.bin", size: 3 });
  expect((await run("files", "with-files", "--name", "nothing")).stderr).toContain("no files");
});

it("[CLI-192] merkle files --get saves a file once its bytes are checked, and replaces none without --force", async () => {
  await run("post", "with-files", "One", "--file", "build.log");
  expect((await run("files", "with-files", "--get", "build.log")).code).toBe(6);
  expect(await run("files", "with-files", "--get", "build.log", "-o", "saved.log")).toMatchObject({
    code: 0,
    stdout: "✓ 7 bytes in saved.log\n",
  });
  expect(await readFile(join(cwd, "saved.log"), "utf8")).toBe("step 1\n");
  expect((await stat(join(cwd, "saved.log"))).mode & 0o777).toBe(0o600);
  await writeFile(join(cwd, "saved.log"), "other");
  expect(await run("files", "with-files", "--get", "build.log", "-o", "saved.log", "--force")).toMatchObject({
    code: 0,
  });
  expect(await readFile(join(cwd, "saved.log"), "utf8")).toBe("step 1\n");
  const missing = await run("files", "with-files", "--get", "build");
  expect(missing).toMatchObject({ code: 5, stderr: expect.stringContaining("--get build.log") });
  expect((await run("files", "with-files", "-o", "x")).stderr).toContain("need --get");
});
