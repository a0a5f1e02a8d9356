import { describe, expect, it, onTestFinished } from "vitest";
import { getWorkerEntry } from "../../start/worker-entry.js";
import { unifiedDiffTask } from "../../text/tasks.js";
import { createLog } from "../log.js";
import { startWorkers, type WorkersOptions } from "./workers.js";

/** Creates an input that is large enough to run on a thread. */
function task(from: string) {
  return { from: from.padEnd(20_000), to: "", fromLabel: "a", toLabel: "b", contextLines: 0 };
}

/** A worker thread that does what its input says, to test the ways in which a thread can fail. */
const obedientThread = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from "node:worker_threads";
    parentPort.on("message", ({ input }) => {
      const order = input.from.trim();
      if (order === "crash") throw new Error("crashed as told");
      if (order === "exit") process.exit(3);
      if (order === "spin") for (;;);
      if (order === "hoard") for (const all = []; ; ) all.push(new Array(100_000).fill(all.length));
      if (order === "fail") parentPort.postMessage({ ok: false, error: new RangeError("failed as told") });
      else parentPort.postMessage({ ok: true, output: order === "environment" ? JSON.stringify(process.env) : String(threadId) });
    });
  `)}`,
);

function startTestWorkers(options: Partial<WorkersOptions> = {}) {
  const workers = startWorkers({ entry: obedientThread, size: 1, ...options });
  onTestFinished(() => workers.stop());
  return { workers, run: (order: string, how = {}) => workers.run(unifiedDiffTask, task(order), how) };
}

describe("running", () => {
  it("[OPS-7] a large task runs in a thread, from the compiled entry", async () => {
    const workers = startWorkers({ entry: getWorkerEntry() });
    onTestFinished(() => workers.stop());
    const from = "a\n".repeat(20_000);
    const diff = await workers.run(unifiedDiffTask, {
      from,
      to: `${from}b\n`,
      fromLabel: "a",
      toLabel: "b",
      contextLines: 0,
    });
    expect(diff).toBe("--- a\n+++ b\n@@ -20000,0 +20001,1 @@\n+b\n");
  });

  it("[OPS-7] a small one runs at once, without a thread", async () => {
    const { workers } = startTestWorkers({ entry: new URL("file:///nowhere.js") });
    const small = { ...task(""), from: "a", to: "b" };
    expect(await workers.run(unifiedDiffTask, small)).toContain("+b");
  });

  it("[OPS-7] small means few lines too, since these make a diff slow", async () => {
    const { workers } = startTestWorkers();
    const input = { ...task(""), from: "a\n".repeat(600), to: "b\n".repeat(600) };
    expect(await workers.run(unifiedDiffTask, input)).toMatch(/^\d+$/);
  });

  it("one thread is used again, and never are there more than allowed", async () => {
    const { run } = startTestWorkers({ size: 2 });
    const threads = await Promise.all(Array.from({ length: 10 }, () => run("which")));
    expect(new Set(threads).size).toBe(2);
    expect(threads).toContain(await run("which"));
  });

  it("what a task throws is what the caller gets, and the thread stays", async () => {
    const { run } = startTestWorkers();
    const thread = await run("which");
    await expect(run("fail")).rejects.toThrow(new RangeError("failed as told"));
    expect(await run("which")).toBe(thread);
  });

  it("a thread sees nothing of the environment, which holds secrets", async () => {
    const { run } = startTestWorkers();
    expect(await run("environment")).toBe("{}");
  });
});

describe("going wrong", () => {
  it.each(["crash", "exit", "hoard"])(
    "a thread that ends by %s fails its task alone and is replaced",
    async (order) => {
      const { run } = startTestWorkers();
      const first = await run("which");
      // On a slow machine, filling the heap takes longer than the default timeout.
      const slow = { timeoutMs: 60_000 };
      const [failed, next] = await Promise.allSettled([run(order, slow), run("which", slow)]);
      expect(failed).toMatchObject({
        status: "rejected",
        reason: { message: expect.stringContaining("unified_diff") },
      });
      expect(next).toMatchObject({ status: "fulfilled" });
      expect(await run("which")).not.toBe(first);
    },
  );

  it("a crash is logged with what happened", async () => {
    const lines: string[] = [];
    const { run } = startTestWorkers({ log: createLog((line) => lines.push(line)) });
    await expect(run("crash")).rejects.toMatchObject({ cause: { message: "crashed as told" } });
    expect(lines).toEqual([expect.stringContaining("crashed as told")]);
  });

  it("an entry that is not there is an error that names it", async () => {
    const { run } = startTestWorkers({ entry: new URL("file:///nowhere/worker.js") });
    await expect(run("which")).rejects.toMatchObject({
      cause: { message: expect.stringContaining("/nowhere/worker.js") },
    });
  });

  it("a task that takes too long is ended with its thread", async () => {
    const { run } = startTestWorkers();
    await expect(run("spin", { timeoutMs: 50 })).rejects.toMatchObject({ code: "unavailable" });
    expect(await run("which")).toMatch(/^\d+$/);
  });

  it("more tasks than may wait are refused", async () => {
    const { workers, run } = startTestWorkers({ waitingMax: 2 });
    const taken = [run("spin"), run("which"), run("which")];
    await expect(run("which")).rejects.toMatchObject({ code: "unavailable", details: { retry_after_s: 1 } });
    const ended = Promise.allSettled(taken);
    await workers.stop();
    expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });
});

describe("giving up", () => {
  it("an aborted task rejects with the reason, whether it runs, waits or was not begun", async () => {
    const { run } = startTestWorkers();
    const running = new AbortController();
    const waiting = new AbortController();
    const spinning = run("spin", { signal: running.signal });
    const queued = run("which", { signal: waiting.signal });
    waiting.abort(new Error("gave up waiting"));
    await expect(queued).rejects.toThrow("gave up waiting");
    running.abort(new Error("gave up"));
    await expect(spinning).rejects.toThrow("gave up");
    await expect(run("which", { signal: running.signal })).rejects.toThrow("gave up");
    expect(await run("which")).toMatch(/^\d+$/);
  });

  it("stopping ends what runs, refuses what comes, and may be repeated", async () => {
    const { workers, run } = startTestWorkers();
    const spinning = expect(run("spin")).rejects.toMatchObject({ code: "unavailable" });
    await Promise.all([workers.stop(), workers.stop()]);
    await spinning;
    await expect(run("which")).rejects.toMatchObject({ code: "unavailable" });
    await workers.stop();
  });
});
