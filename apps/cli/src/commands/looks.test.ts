import { describe, expect, it } from "vitest";
import { callBroker, ownCredential } from "../test-kit/api.js";
import { hasCommand } from "../test-kit/has-command.js";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";
import { startAtTerminal } from "../test-kit/terminal.js";

const merkle = setUpSharedMerkle();
const answerOf = async (...args: string[]) => JSON.parse((await merkle.run([...args, "--json"])).stdout);

describe("merkle whoami", () => {
  it("[CLI-11] says who one is without making anybody, and in an agent's shell as whom it writes", async () => {
    const before = await answerOf("whoami");
    expect(before).toMatchObject({ mesh: "main", person: null, member: null, agent: null });
    expect((await answerOf("whoami")).person).toBe(null);
    await merkle.run(["new", "First words"]);
    const { person, name } = await answerOf("whoami");
    expect(person).toEqual({ person_id: expect.any(String), verified: true });
    const env = { MERKLE_SESSION: "first-words", MERKLE_TEAM: "Atlas" };
    expect((await merkle.run(["whoami"], { env })).stdout).toMatch(
      new RegExp(`^you +${name}, .*\\nposts as +Atlas in first-words, this agent's shell\\nbroker +http`),
    );
  });
});

describe("merkle gc", () => {
  it("[OPS-11] a dry run is one, and without the flag it is done", async () => {
    const dry = await merkle.run(["gc", "--dry-run"]);
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^nothing would be deleted\n\nthe database has /),
    });
    expect(await answerOf("gc", "--dry-run")).toMatchObject({ dry_run: true });
    expect(await answerOf("gc")).toMatchObject({ dry_run: false });
  });
});

describe("merkle inbox", () => {
  it("[CLI-46] inbox shows each thing that waits in a line, where, and what settles the first", async () => {
    const { slug, team_id } = await callBroker(merkle, "create_session", {
      title: "Keys",
      creator_team_name: "Atlas",
    });
    const content = { text: "Which key?", kind: "ask" as const, options: ["vault", "new"] };
    await callBroker(merkle, "post_message", { session_id: slug, content, to: "@humans" }, team_id);
    const { stdout, stderr } = await merkle.run(["inbox"]);
    expect(stdout).toMatch(/^◆ {2}keys +Atlas asks "Which key\?" \[1 vault\] \[2 new\] #1 /m);
    expect(stderr).toContain("next: merkle post keys --reply-to 1 --answer <answer>\n");
    const { items, total } = await callBroker(merkle, "list_attention", {}, await ownCredential(merkle));
    expect(await answerOf("inbox")).toMatchObject({ items, total, unread: expect.any(Array) });
    await merkle.run(["post", slug, "--reply-to", "1", "--answer", "vault"]);
    expect((await merkle.run(["inbox"])).stdout).not.toContain("Which key?");
  });
});

describe("merkle logs", () => {
  it("[CLI-13] prints the broker's last lines, for programs as they stand, and says where there are none", async () => {
    const { stdout } = await merkle.run(["logs"]);
    expect(stdout).toMatch(/^\d\d:\d\d info {2}broker started {2}url=http/m);
    const lines = (await merkle.run(["logs", "--lines", "1", "--json"])).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: expect.any(String), message: expect.any(String) }),
    ]);
    expect(await merkle.run(["logs", "--lines", "x"])).toMatchObject({ code: 2 });
  });

  it("[CLI-13] with -f goes on with what comes", async () => {
    const following = merkle.start(["logs", "-f", "--lines", "1"]);
    await following.waitForOutput("\n");
    await merkle.run(["resume", "first-words"]);
    await following.waitForOutput("operation=resume_session");
    following.process.kill("SIGINT");
    expect(await following.ended).toMatchObject({ code: 130, stderr: "" });
  });
});

describe("merkle ls --watch", () => {
  it("[CLI-13] prints the list anew when it changes, with --json a line each", async () => {
    const watching = merkle.start(["ls", "--watch", "--json", "--query", "watched"]);
    await watching.waitForOutput('"sessions":[]');
    await callBroker(merkle, "create_session", { title: "Watched", creator_team_name: "Atlas" });
    await watching.waitForOutput('"slug":"watched"');
    watching.process.kill("SIGINT");
    const { code, stdout } = await watching.ended;
    expect(code).toBe(130);
    for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toHaveProperty("sessions");
    expect(await merkle.run(["ls", "--watch", "--needs"])).toMatchObject({ code: 2 });
  });

  it("[CLI-50] at a terminal it takes the screen, and q gives it back", { tags: "terminal" }, async () => {
    const watching = startAtTerminal(merkle, ["ls", "--watch"]);
    await watching.waitForScreen("first-words");
    watching.type("q");
    const { code, screen } = await watching.ended;
    expect(code).toBe(0);
    expect(screen).toContain("\u001b[?1049l");
  });
});

describe("merkle tail", () => {
  it("[CLI-170] renders Markdown at a terminal with colours, and prints the source elsewhere", {
    tags: "terminal",
  }, async () => {
    const { slug } = await callBroker(merkle, "create_session", { title: "Marked", creator_team_name: "A" });
    const source = "see **this**\n- `one`\n- [two](https://example.com)";
    await merkle.run(["post", slug, source]);
    const args = ["tail", slug, "--timeout", "0"];
    const { screen } = await startAtTerminal(merkle, args).ended;
    expect(screen).toContain("see \u001b[1mthis\u001b[22m\r\n");
    expect(screen).toContain("• \u001b[36mone\u001b[39m\r\n");
    expect(screen).toContain("• two \u001b[2m(https://example.com)\u001b[22m");
    const indented = source.replaceAll("\n", `\n${" ".repeat(9)}`);
    expect((await merkle.run(args)).stdout).toContain(indented);
    for (const [flags, env] of [
      [["--no-color"], {}],
      [[], { NO_COLOR: "1" }],
      [[], { TERM: "dumb" }],
    ] as const) {
      const plain = await startAtTerminal(merkle, [...args, ...flags], env).ended;
      expect(plain.screen).toContain(indented.replaceAll("\n", "\r\n"));
    }
  });
});

describe("a command that fails", () => {
  it("[CLI-7] uses plain words, and not the fields of an operation", async () => {
    const { slug } = await callBroker(merkle, "create_session", { title: "Said", creator_team_name: "A" });
    await merkle.run(["post", slug, "hello"]);
    for (const [args, said] of [
      [["doc", "edit", slug, "--old", "x", "--new", "y"], "The text to replace does not occur"],
      [["post", slug, ""], "text: must not be blank"],
      [["post", slug, "--reply-to", "1", "--answer", "x"], "message 1 is not a question"],
      [["post", slug, "x", "--reply-to", "99"], "Use the number in front of the message"],
    ] as const) {
      const { stderr } = await merkle.run(args);
      expect(stderr, args.join(" ")).toContain(said);
    }
  });

  it("[PERSON-3] changes nothing: nobody joins, and nothing is said, set, claimed or written", async () => {
    const { slug, team_id } = await callBroker(merkle, "create_session", {
      title: "Untouched",
      creator_team_name: "Atlas",
    });
    const content = { text: "Which?", kind: "ask" as const, options: ["a", "b"] };
    await callBroker(merkle, "post_message", { session_id: slug, content }, team_id);
    const read = async () => ({
      history: await callBroker(merkle, "get_history", { session_id: slug }),
      roster: (await callBroker(merkle, "list_peers", { session_id: slug })).peers.map(({ team }) => team),
      document: await callBroker(merkle, "read_session_doc", { session_id: slug }),
      // A build without these features lists nothing.
      state: (await merkle.run(["state", "list", slug, "--json"])).stdout,
      tasks: (await merkle.run(["tasks", slug, "--json"])).stdout,
      claims: (await merkle.run(["claims", slug, "--json"])).stdout,
    });
    const before = await read();
    const failing = [
      [5, "post", slug, "hi", "--to", "nobody"],
      [5, "post", slug, "hi", "--reply-to", "99"],
      [2, "post", slug, "hi", "--priority", "loud"],
      [5, "nudge", slug, "nobody"],
      [5, "task", "add", slug, "a task", "--for", "nobody"],
      [5, "task", "claim", slug, "9"],
      [5, "task", "done", slug, "9"],
      [5, "claims", slug, "--release", "9"],
      [6, "state", "set", slug, "key", "1", "--expect", "4"],
      [5, "state", "unset", slug, "key"],
      [6, "doc", "edit", slug, "--old", "not there", "--new", "x"],
      [6, "doc", "comment", slug, "why?", "--quote", "not there"],
      [5, "doc", "accept", slug, "9", "--yes"],
      [5, "jobs", "run", slug, "perspective", "--persona", "Nobody"],
      [2, "rename", slug, "Another name"],
      [2, "conclude", slug, "--yes"],
    ] as const;
    for (const [exitCode, ...args] of failing.filter(([, ...words]) => hasCommand(words))) {
      const { code, stdout } = await merkle.run(args);
      expect({ args, code, stdout }).toEqual({ args, code: exitCode, stdout: "" });
    }
    expect(await read()).toEqual(before);
  });
});
