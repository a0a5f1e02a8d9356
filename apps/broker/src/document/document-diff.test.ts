import { expect, it, onTestFinished } from "vitest";
import { startWorkers } from "../core/workers/workers.js";
import { getWorkerEntry } from "../start/worker-entry.js";
import { diffDocuments } from "./read-session-doc.js";

function startTestWorkers() {
  const workers = startWorkers({ entry: getWorkerEntry(), size: 1 });
  onTestFinished(() => workers.stop());
  return workers;
}

it("[DOC-8] labels the two versions", async () => {
  const diff = await diffDocuments(startTestWorkers(), {
    from: "a\n",
    fromVersion: 3,
    to: "b\n",
    toVersion: 4,
  });
  expect(diff).toBe("--- v3\n+++ v4\n@@ -1,1 +1,1 @@\n-a\n+b\n");
});

it("[DOC-8] is empty when nothing changed", async () => {
  const same = "a\n".repeat(100_000);
  expect(
    await diffDocuments(startTestWorkers(), { from: same, fromVersion: 3, to: same, toVersion: 9 }),
  ).toBe("");
});

it("[OPS-7] a large document is compared without holding the event loop", async () => {
  const from = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join("");
  const to = from.replace("line 7\n", "").replace("line 19000\n", "line 19000!\n");
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const diff = await diffDocuments(startTestWorkers(), { from, fromVersion: 1, to, toVersion: 2 });
  clearInterval(counting);
  expect(diff).toContain("\n-line 7\n");
  expect(diff).toContain("\n-line 19000\n+line 19000!\n");
  expect(turns).toBeGreaterThan(0);
});
