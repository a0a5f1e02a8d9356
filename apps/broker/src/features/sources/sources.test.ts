import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stageRepository } from "../../../../../tests/sources/staged-repository.js";
import { createSources } from "./sources.js";

it("[SOURCE-5] a broker that stops waits for the Git that still runs, whose caller may have gone", async () => {
  const at = await stageRepository();
  const file = (name: string) => join(at.top, name);
  execFileSync("mkfifo", [file("begun"), file("go")]);
  await mkdir(file("bin"));
  await writeFile(
    file("bin/git"),
    `#!/bin/sh\n: > ${file("begun")}\nread -r _ < ${file("go")}\n: > ${file("ended")}\n`,
  );
  await chmod(file("bin/git"), 0o755);

  const sources = createSources({ roots: { docs: at.folder }, home: at.home, searchPath: file("bin") });
  const listed = sources.list().catch(() => undefined);
  await readFile(file("begun"));
  const stopped = sources.stop();
  await writeFile(file("go"), "\n");
  await stopped;
  expect((await stat(file("ended"))).isFile()).toBe(true);
  await listed;
});
