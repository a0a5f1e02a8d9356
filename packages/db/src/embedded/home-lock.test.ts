import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { lockHome } from "./home-lock.js";
import { makeTestHome, startTestBroker, type TestHome } from "./test-support.js";

let home: TestHome;
let path: string;
beforeEach(async () => {
  home = await makeTestHome();
  path = join(home.path, "broker.lock");
});
afterEach(() => home.remove());

describe("the lock of a home", () => {
  it("[DB-5] is held by one process, which the refusal names, until it is released", async () => {
    const lock = await lockHome(home.path);
    await expect(lockHome(home.path)).rejects.toMatchObject({
      code: "home_in_use",
      message: expect.stringContaining(`Another broker uses ${home.path}: process ${process.pid}.`),
    });
    await lock.release();
    await lock.release();
    await (await lockHome(home.path)).release();
    expect(await readdir(home.path)).toEqual([]);
  });

  it("[DB-5] refuses a second process, and passes on at once when the first is killed", async () => {
    const broker = startTestBroker({ home: home.path, lockOnly: true });
    await broker.report;
    await expect(lockHome(home.path)).rejects.toMatchObject({
      code: "home_in_use",
      message: expect.stringContaining(`process ${broker.process.pid}.`),
    });
    await broker.kill();
    await (await lockHome(home.path)).release();
  });

  it("[DB-5] is not held by a process that only has the dead one's number", async () => {
    const lock = await lockHome(home.path);
    const holder = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...holder, began: "an earlier process", id: "other" }));
    const second = await lockHome(home.path);
    await lock.release();
    await expect(lockHome(home.path)).rejects.toMatchObject({ code: "home_in_use" });
    await second.release();
  });

  it("[DB-5] is not held by a dead process that its parent has not collected", {
    tags: "linux",
  }, async () => {
    // The shell replaces itself with another program, which never reaps the child process.
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void parent.kill());
    const [said] = await once(parent.stdout, "data");
    const pid = Number(String(said));
    const fieldsOf = async () => (await readFile(`/proc/${pid}/stat`, "utf8")).split(" ");
    // Waits for that replacement. If the child died earlier, the shell would reap it.
    await expect.poll(() => readFile(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    process.kill(pid, "SIGKILL");
    await expect.poll(async () => (await fieldsOf())[2]).toBe("Z");
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    const began = `${boot} ${(await fieldsOf())[21]}`;
    await writeFile(path, JSON.stringify({ pid, host: hostname(), began, id: "its" }));
    await (await lockHome(home.path)).release();
  });

  it("[DB-5] goes to exactly one of many that find it abandoned", async () => {
    const broker = startTestBroker({ home: home.path, lockOnly: true });
    await broker.report;
    await broker.kill();
    for (let round = 0; round < 20; round += 1) {
      const abandoned = await readFile(path, "utf8");
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockHome(home.path)));
      const won = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(won).toHaveLength(1);
      await won[0]?.release();
      await writeFile(path, abandoned);
    }
  });

  it("[DB-5] whose writer died before the first byte is taken over", async () => {
    await writeFile(path, "");
    await utimes(path, new Date(0), new Date(0));
    await (await lockHome(home.path)).release();
  });

  it("[DB-5] of another host counts while it is touched, and not when it has been silent", async () => {
    const elsewhere = JSON.stringify({ pid: 1, host: "elsewhere", began: "", id: "theirs" });
    await writeFile(path, elsewhere);
    const touching = setInterval(() => void utimes(path, new Date(), new Date()), 200);
    try {
      await expect(lockHome(home.path)).rejects.toMatchObject({
        code: "home_in_use",
        message: expect.stringContaining("process 1 on elsewhere"),
      });
    } finally {
      clearInterval(touching);
    }
    await utimes(path, new Date(0), new Date(0));
    await (await lockHome(home.path)).release();
  });
});
