import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";

/**
 * A script that replaces Claude Code. It writes the result that the skill asks for, with the job's
 * credential.
 */
const script = `#!/usr/bin/env node
const prompt = require("node:fs").readFileSync(0, "utf8");
const persona_sha = /^Persona SHA: (\\S+)$/m.exec(prompt)[1];
fetch(process.env.MERKLE_URL + "/api/perspectives", {
  method: "POST",
  headers: { "Content-Type": "application/json", Authorization: "Bearer " + process.env.MERKLE_JOB_TOKEN },
  body: JSON.stringify({ source_version: 1, persona_sha, content: "Why Friday?" }),
}).then(({ ok }) => process.exit(ok ? 0 : 1));
`;

async function writeAgent(home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  const claude_bin = join(dirname(home), "claude-that-reads");
  await writeFile(claude_bin, script);
  await chmod(claude_bin, 0o755);
  await writeFile(join(home, "config.json"), JSON.stringify({ agent: { claude_bin } }));
}

describe("merkle perspective", () => {
  const merkle = setUpSharedMerkle(writeAgent);

  it("[PERSPECTIVE-7] [SES-31] prints what a persona read, says when it is stale, and a new session continues a concluded one", async () => {
    const slug = "split-auth";
    const { team_id, session_id } = await callBroker(merkle, "create_session", {
      title: "Split the auth service",
      slug,
      creator_team_name: "Atlas",
    });
    const write = (content: string, expected_version: number) =>
      callBroker(merkle, "update_session_doc", { session_id, team_id, content, expected_version });
    await write("We deploy on Friday.\n", 0);
    const none = await merkle.run(["perspective", slug]);
    expect(none).toMatchObject({ code: 0, stderr: expect.stringContaining("no reviews yet") });
    expect(await merkle.run(["perspective", slug, "Sceptic"])).toMatchObject({ code: 5 });
    await merkle.run(["jobs", "run", slug, "perspective", "--persona", "sceptic"]);
    expect(await merkle.run(["jobs", "show", "1", "-f"])).toMatchObject({ code: 0 });
    const read = await merkle.run(["perspective", slug, "sceptic"]);
    expect(read.stdout).toBe("Why Friday?\n");
    expect(read.stderr).toMatch(/^ {2}read as Sceptic of v1 \S+ ago\n$/);
    const again = ["jobs", "run", slug, "perspective", "--persona", "Sceptic"];
    expect(await merkle.run(again)).toMatchObject({ code: 6 });
    await write("We deploy on Monday.\n", 1);
    const { stdout } = await merkle.run(["perspective", slug]);
    expect(stdout).toMatch(/^Sceptic +v1 .* stale: the document has changed since\n$/);

    expect(await merkle.run(["new", "Next", "--from", slug])).toMatchObject({ code: 6 });
    await callBroker(merkle, "conclude_session", { session_id, team_id, summary_section: "Monday it is." });
    const next = await merkle.run(["new", "Next", "--from", slug]);
    expect(next).toMatchObject({ code: 0, stdout: expect.stringContaining("next") });
    expect(next.stderr).toContain(`continues ${slug}: its conclusion is mem_1`);
  });
});
