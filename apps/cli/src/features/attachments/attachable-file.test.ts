import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { type AgentFolders, openAgentFile, openFile } from "./attachable-file.js";

let root: string;
let folders: AgentFolders & { readonly received: string };

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "merkle-attach-")));
  vi.stubEnv("HOME", join(root, "ana"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });
  const home = join(root, "ana", ".merkle");
  folders = { project: join(root, "ana", "app"), home, received: join(home, "files", "peer-1") };
  write("ana/.ssh/id_rsa", "secret");
  write("ana/app/logs/build.log", "built");
  write("ana/app/.env", "TOKEN=secret");
  write("ana/app/.git/config", "secret");
  write("ana/application/notes.txt", "of another project");
  write("ana/.merkle/teams/peer-1.json", "secret");
  write("ana/.merkle/files/peer-1/12/shot.png", "shot");
  write("ana/.merkle/files/peer-2/12/shot.png", "of another peer");
});

function write(path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

async function readAgentFile(path: string, changes: Partial<AgentFolders> = {}): Promise<string> {
  const { handle } = await openAgentFile(path, { ...folders, ...changes });
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

it("[ATTACH-24] an agent attaches files of its project and files that its peer has received", async () => {
  expect(await readAgentFile("logs/build.log")).toBe("built");
  expect(await readAgentFile(join(folders.project, "logs", "build.log"))).toBe("built");
  expect(await readAgentFile(join(folders.received, "12", "shot.png"))).toBe("shot");
});

it("[ATTACH-24] an agent cannot attach what is outside its project, by path or through a link", async () => {
  symlinkSync(join(root, "ana/.ssh/id_rsa"), join(folders.project, "key.txt"));
  symlinkSync(join(root, "ana/.ssh"), join(folders.project, "keys"));
  symlinkSync(join(root, "ana/.ssh/id_rsa"), join(folders.received, "12", "key.txt"));
  for (const path of [
    "../.ssh/id_rsa",
    join(root, "ana/.ssh/id_rsa"),
    "logs/../../.ssh/id_rsa",
    "key.txt",
    "keys/id_rsa",
    join(folders.received, "12", "key.txt"),
    "../application/notes.txt",
    "/etc/passwd",
  ])
    await expect(readAgentFile(path), path).rejects.toMatchObject({ code: "forbidden" });
});

it("[ATTACH-24] hidden files of the project and the Merkle home stay on the machine", async () => {
  const own = join(folders.project, "merkle-home");
  write("ana/app/merkle-home/teams/peer-1.json", "secret");
  for (const path of [".env", ".git/config"]) await expect(readAgentFile(path)).rejects.toThrow("is hidden");
  await expect(
    readAgentFile("merkle-home/teams/peer-1.json", { home: own, received: join(own, "files", "peer-1") }),
  ).rejects.toThrow("it is in the Merkle home");
  for (const path of ["teams/peer-1.json", "files/peer-2/12/shot.png"])
    await expect(readAgentFile(join(folders.home, path))).rejects.toThrow("it is in the Merkle home");
});

it("[ATTACH-24] an agent that was started in the home folder, or above it, attaches nothing from there", async () => {
  write("ana/bank.txt", "secret");
  for (const project of [join(root, "ana"), root, "/"])
    await expect(readAgentFile(join(root, "ana/bank.txt"), { project })).rejects.toThrow(
      "was not started in a project's folder",
    );
});

it("[ATTACH-24] folders, named pipes and missing files are refused without waiting", async () => {
  execFileSync("mkfifo", [join(folders.project, "pipe")]);
  await expect(readAgentFile("logs")).rejects.toThrow("it is a folder");
  await expect(readAgentFile("pipe")).rejects.toThrow("it is not a regular file");
  await expect(readAgentFile("none.txt")).rejects.toThrow("there is no such file");
});

it("[CLI-190] a human attaches any file that they can read", async () => {
  const { handle, name, size } = await openFile("../.ssh/id_rsa", folders.project);
  await handle.close();
  expect({ name, size }).toEqual({ name: "id_rsa", size: 6 });
});
