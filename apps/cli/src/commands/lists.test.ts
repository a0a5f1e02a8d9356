import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../commands.js";
import { callBroker } from "../test-kit/api.js";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";
import { startAtTerminal } from "../test-kit/terminal.js";

const merkle = setUpSharedMerkle();
const slug = "a-session-whose-slug-is-typed-from-the-list-of-i";

beforeAll(async () => {
  await callBroker(merkle, "create_session", {
    title: "A session whose title is long enough to be cut at any terminal of eighty columns",
    slug,
    creator_team_name: "Atlas",
  });
  for (const title of ["Second", "Third"])
    await callBroker(merkle, "create_session", { title, creator_team_name: "Atlas" });
  await callBroker(merkle, "join_session", { session_id: "third", team_name: "Birch" });
});

describe("a list", () => {
  it("[CLI-166] says how many of how many it shows, and lists more with a larger limit", async () => {
    const { stdout, stderr } = await merkle.run(["ls", "--limit", "2"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(stderr).toContain("  2 of 3: ");
    expect((await merkle.run(["ls"])).stderr).toBe("");
    expect((await merkle.run(["ls", "--limit", "0"])).code).toBe(2);
    expect((await merkle.run(["peers", "third", "--limit", "1"])).stderr).toContain("  1 of 2: --limit");
  });

  it("[CLI-166] has headings and whole slugs at a terminal, and only rows in a pipe", {
    tags: "terminal",
  }, async () => {
    const { screen } = await startAtTerminal(merkle, ["ls", "--no-color"]).ended;
    const [head = "", ...rows] = screen.trimEnd().split("\r\n");
    expect(head).toMatch(/^Session +Title +/);
    expect(screen).toContain(`${slug}  A session whose`);
    for (const line of [head, ...rows]) expect(line.length, line).toBeLessThanOrEqual(80);
    expect((await merkle.run(["ls"])).stdout).not.toContain("Title");
  });

  it("[CLI-167] with the names of fields prints only these, for each row", async () => {
    const { stdout } = await merkle.run(["ls", "--json", "slug,status", "--query", "Second"]);
    expect(JSON.parse(stdout)).toEqual([{ slug: "second", status: "active" }]);
    for (const fields of [["--json", "team"], ["--json=team"]]) {
      const peers = await merkle.run(["peers", ...fields, "third"]);
      expect(JSON.parse(peers.stdout)).toEqual([{ team: "Atlas" }, { team: "Birch" }]);
    }
    const limited = await merkle.run(["peers", "third", "--json", "--limit", "1"]);
    expect(JSON.parse(limited.stdout).peers).toHaveLength(1);
    const unknown = await merkle.run(["ls", "--json", "slog"]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(JSON.parse(unknown.stderr).error.message).toMatch(/Did you mean slug\? Fields: session_id, slug,/);
  });

  it("[CLI-167] every list of a command can select fields", () => {
    const lists = commands.filter(({ flags = [] }) => flags.some((each) => each.flags === "--web"));
    expect(lists.length).toBeGreaterThan(15);
    expect(lists.filter(({ fields = [] }) => fields.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it("[CLI-168] with --web opens its page, as merkle open does", async () => {
    const seen = join(merkle.home, "opened");
    const browser = join(merkle.home, "browser.sh");
    await writeFile(browser, `#!/bin/sh\nprintf '%s' "$1" > '${seen}'\n`);
    await chmod(browser, 0o755);
    for (const [args, path] of [
      [["ls"], "/"],
      [["inbox"], "/needs-you"],
      [["peers", "third"], "/sessions/third"],
      [["doc", "history", "third"], "/sessions/third/doc"],
      [["approvals"], "/approvals"],
      [["usage", "third"], "/sessions/third"],
    ] as const) {
      const { code, stdout } = await merkle.run([...args, "--web"], { env: { BROWSER: browser } });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(`^http://[^/]*${path}\n$`) });
      expect(await readFile(seen, "utf8")).toMatch(/open\.html$|^http/);
    }
  });
});

describe("merkle inbox", () => {
  it("[CLI-46] folds many items of a kind into one line, and --all lists each", async () => {
    const { team_id } = await callBroker(merkle, "create_session", {
      title: "Many asks",
      creator_team_name: "Atlas",
    });
    const ask = (text: string) =>
      callBroker(
        merkle,
        "post_message",
        { session_id: "many-asks", content: { text, kind: "ask" }, to: "@humans" },
        team_id,
      );
    for (let n = 1; n <= 7; n += 1) await ask(`Question ${n}?`);
    await callBroker(
      merkle,
      "set_status",
      { session_id: "many-asks", status: "blocked", reason: "key" },
      team_id,
    );
    const folded = await merkle.run(["inbox"]);
    expect(folded.stdout.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^◆ {2}many-asks {2}Atlas is blocked .* and asks "Question 7\?" #\d+: key$/),
      expect.stringMatching(/^◆ +6 questions have no answer$/),
    ]);
    expect(folded.stderr).toContain("merkle inbox --all");
    const all = await merkle.run(["inbox", "--all"]);
    expect(all.stdout.trimEnd().split("\n")).toHaveLength(7);
    expect((await merkle.run(["inbox", "--limit", "3"])).stderr).toContain("  3 of 7: ");
    const { stdout } = await merkle.run(["inbox", "--json", "kind"]);
    expect(JSON.parse(stdout)).toHaveLength(7);
  });
});

it("[CLI-173] what a command refuses otherwise is done with --force, and nothing else is called that", () => {
  const flags = commands.flatMap(({ name, flags = [] }) => flags.map((each) => ({ name, ...each })));
  const forcing = flags.filter(({ summary }) => /^replace an existing|\brun even if/.test(summary));
  expect(forcing.length).toBeGreaterThan(1);
  expect(new Set(forcing.map((each) => each.flags))).toEqual(new Set(["--force"]));
  // `approvals allow --again` refuses nothing without it.
  const others = flags.filter(({ name }) => name !== "approvals");
  expect(others.filter((each) => /--(?:overwrite|again|replace|left)\b/.test(each.flags))).toEqual([]);
});
