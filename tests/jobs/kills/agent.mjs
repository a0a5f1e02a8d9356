/**
 * A stand-in for Claude Code in the kill campaign. It logs its steps to a file in its folder, proposes a conclusion,
 * and exits. The name of its session decides whether it first waits for a file, and whether it ignores SIGTERM.
 */
import { appendFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const { MERKLE_URL, MERKLE_JOB, MERKLE_JOB_TOKEN } = process.env;
const prompt = await read(process.stdin);
const session = /^Session: (.*)$/m.exec(prompt)?.[1] ?? "";
const base_version = Number(/^Document version: (\d+)$/m.exec(prompt)?.[1] ?? 0);

mark("start");
process.on("SIGTERM", () => {
  mark("told");
  if (!session.includes("deaf")) process.exit(9);
});
const isCalm = () => existsSync(join(dirname(process.argv[1] ?? ""), `calm-${session}`));
while (!session.includes("works") && !isCalm()) await delay(50);
process.exitCode = (await propose()) ? 0 : 5;
mark("end");

/** Proposes a conclusion, and retries if a killed broker does not reply. */
async function propose() {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      const answer = await fetch(`${MERKLE_URL}/api/proposals`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${MERKLE_JOB_TOKEN}` },
        body: JSON.stringify({
          session_id: session,
          base_version,
          content: `## Conclusion\n\nOf job ${MERKLE_JOB}.\n`,
          idempotency_key: `the only write of job ${MERKLE_JOB}`,
        }),
      });
      if (answer.status < 500) {
        mark(answer.ok ? "wrote" : `refused: ${await answer.text()}`);
        return answer.ok;
      }
    } catch {
      // There was no reply, because the broker was killed. It may be restarted.
    }
    await delay(200);
  }
  return false;
}

function mark(what) {
  appendFileSync(join(dirname(process.argv[1] ?? ""), "marks"), `${MERKLE_JOB} ${what}\n`);
}

async function read(stream) {
  let text = "";
  for await (const piece of stream) text += piece;
  return text;
}
