import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callBroker, ownCredential } from "../test-kit/api.js";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";
import { startAtTerminal } from "../test-kit/terminal.js";

const merkle = setUpSharedMerkle();

describe("merkle new", () => {
  it("[CLI-12] starts a session and says its slug and what comes next", async () => {
    expect(await merkle.run(["new", "Q4 pricing", "--description", "Prices"])).toEqual({
      code: 0,
      stdout: "✓ q4-pricing\n",
      stderr: expect.stringContaining("next: merkle launch --session q4-pricing"),
    });
    const { description } = await callBroker(merkle, "get_session", { session_id: "q4-pricing" });
    expect(description).toBe("Prices");
  });

  it("[CLI-12] takes the description from stdin and a slug, and with --json prints the answer without its secret", async () => {
    const ended = await merkle.run(["new", "Piped", "--slug", "by-pipe", "--description", "-", "--json"], {
      input: "From a file\n",
    });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const created = JSON.parse(ended.stdout);
    expect(created).toMatchObject({ slug: "by-pipe", title: "Piped", description: "From a file\n" });
    expect(created.team_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await merkle.run(["new", "Piped", "--slug", "by-pipe"])).toMatchObject({ code: 6, stdout: "" });
  });
});

describe("merkle ls", () => {
  it("[CLI-13] lists open sessions with who is there, when something was said and the document", async () => {
    const atlas = await callBroker(merkle, "create_session", {
      title: "認証 split",
      creator_team_name: "Atlas",
    });
    await callBroker(merkle, "create_session", { title: "Longer title of another", creator_team_name: "B" });
    await callBroker(
      merkle,
      "post_message",
      { session_id: atlas.slug, content: { text: "hi" } },
      atlas.team_id,
    );
    const { stdout } = await merkle.run(["ls"]);
    const row = stdout.split("\n").find((each) => each.startsWith(atlas.slug));
    expect(row).toMatch(/認証 split {2,}A● +posted \d+[sm](?: +\d new)?$/);
    // Wide characters take two columns, so the table must still be aligned.
    const other = stdout.split("\n").find((each) => each.includes("Longer title")) ?? "";
    expect((row ?? "").indexOf("A●") + 2).toBe(other.indexOf("B●"));
  });

  it("[CLI-13] filters by state and words, and with --json prints what the broker answers", async () => {
    const one = await callBroker(merkle, "create_session", { title: "Filter me", creator_team_name: "A" });
    const ended = await merkle.run(["ls", "--query", "filter me", "--json"]);
    const answer = JSON.parse(ended.stdout);
    expect(answer).toEqual(
      await callBroker(
        merkle,
        "list_sessions",
        { query: "filter me", status: "open" },
        await ownCredential(merkle),
      ),
    );
    expect(answer.sessions).toMatchObject([{ session_id: one.session_id }]);
    expect(await merkle.run(["ls", "--state", "closed", "--query", "filter me"])).toEqual({
      code: 0,
      stdout: "",
      stderr: 'no closed session matches "filter me"\n',
    });
    expect(await merkle.run(["ls", "--state", "opn"])).toMatchObject({ code: 2, stdout: "" });
    expect(await merkle.run(["ls", "--limit", "1000"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("[CLI-13] without a terminal there is no colour and nothing is cut, whatever the environment says", {
    tags: "long",
  }, async () => {
    const title = "A title that is much longer than what one line of a usual terminal has room for, by far";
    await callBroker(merkle, "create_session", { title, slug: "long", creator_team_name: "A" });
    for (const env of [{}, { NO_COLOR: "1" }, { FORCE_COLOR: "1", COLUMNS: "40" }]) {
      const { stdout } = await merkle.run(["ls", "--query", "much longer"], { env });
      expect(stdout).toMatch(new RegExp(`^long {2}${title} {2}A[●◐] {2}no messages\\n$`));
    }
  });

  it("[CLI-13] at a terminal a long title gives way to the columns beside it", {
    tags: "terminal",
  }, async () => {
    const title = `Wide ${"título ".repeat(20)}`.trim();
    await callBroker(merkle, "create_session", { title, slug: "wide", creator_team_name: "A" });
    const { screen } = await startAtTerminal(merkle, ["ls", "--query", "wide"], { NO_COLOR: "1" }).ended;
    const row = screen.split("\r\n").find((each) => each.startsWith("wide")) ?? "";
    expect(row).toMatch(/… {2}A● {5}no messages$/);
    expect(row.length).toBeLessThanOrEqual(80);
  });
});

describe("merkle show", () => {
  it("[CLI-14] shows title, purpose, state, teams and the way to the dashboard", async () => {
    const { slug } = await callBroker(merkle, "create_session", {
      title: "Shown",
      description: "Why\nwe meet",
      creator_team_name: "Atlas",
    });
    const { url } = await merkle.readRunFile();
    const { stdout } = await merkle.run(["show", "Shown"]);
    expect(stdout).toContain(`${url}/sessions/${slug}`);
    expect(stdout).toMatch(
      /^Shown\nshown · open since \d\d:\d\d\n0 messages · no document yet · (?:[\d.]+ \w+ · )?no messages\nhttp/,
    );
    expect(stdout).toContain("  Why\n  we meet\n");
    expect(stdout).toMatch(/ {2}Atlas {2}agent {2}● active {2}last seen \d+s {2}convener\n$/);
    const json = await merkle.run(["show", slug, "--json"]);
    expect(JSON.parse(json.stdout)).toEqual(
      await callBroker(merkle, "get_session", { session_id: slug }, await ownCredential(merkle)),
    );
  });

  it("[CLI-10] takes slug, id and exact title, and MERKLE_SESSION where none is named", async () => {
    const { slug, session_id } = await callBroker(merkle, "create_session", {
      title: "Named in ways",
      creator_team_name: "A",
    });
    for (const args of [[slug], [session_id], ["Named in ways"]]) {
      expect(JSON.parse((await merkle.run(["show", ...args, "--json"])).stdout).slug).toBe(slug);
    }
    const env = { MERKLE_SESSION: slug };
    expect(JSON.parse((await merkle.run(["show", "--json"], { env })).stdout).slug).toBe(slug);
    expect(await merkle.run(["show"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("MERKLE_SESSION"),
    });
  });

  it("[CLI-10] an unknown session is exit 5 with the nearest one, an ambiguous title exit 6 with the slugs", async () => {
    for (const slug of ["twin-a", "twin-b"]) {
      await callBroker(merkle, "create_session", { title: "Twins", slug, creator_team_name: "A" });
    }
    expect(await merkle.run(["show", "twin-c"])).toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringMatching(/^✗ There is no session "twin-c"\. Did you mean twin-[ab]\?\n/),
    });
    expect(await merkle.run(["show", "../x"])).toMatchObject({ code: 5 });
    const twins = await merkle.run(["show", "Twins", "--json"]);
    expect(twins.code).toBe(6);
    expect(JSON.parse(twins.stderr).error).toMatchObject({
      code: "conflict",
      details: { slugs: expect.arrayContaining(["twin-a", "twin-b"]) },
    });
  });

  it("[CLI-17] what others wrote cannot command the terminal, and --json has it unchanged", async () => {
    const title = "Red ]2;owned";
    const description = "\u001b[31mred\u001b[2J\u202e";
    const { slug } = await callBroker(merkle, "create_session", {
      title,
      description,
      creator_team_name: "A",
    });
    const shown = await merkle.run(["show", slug]);
    expect(shown.stdout).not.toMatch(/\p{Cc}(?<!\n)|\u202e/u);
    expect(JSON.parse((await merkle.run(["show", slug, "--json"])).stdout)).toMatchObject({
      title,
      description,
    });
  });
});

describe("merkle post", () => {
  it("[CLI-15] posts text given as an argument, by -, and by a pipe, and prints the wire's answer with --json", async () => {
    const { slug } = await callBroker(merkle, "create_session", { title: "Posting", creator_team_name: "A" });
    expect((await merkle.run(["post", slug, "- a list\n- of two"])).stdout).toMatch(/^✓ #\d+ posted\n$/);
    expect((await merkle.run(["post", slug, "-"], { input: "by dash\n" })).code).toBe(0);
    expect((await merkle.run(["post", slug], { input: "by pipe\n" })).code).toBe(0);
    const json = await merkle.run(["post", slug, "as JSON", "--json"]);
    const { messages } = await callBroker(merkle, "get_history", { session_id: slug });
    const chats = messages.filter((each) => each.type === "chat");
    expect(chats.map((each) => each.content["text"])).toEqual([
      "- a list\n- of two",
      "by dash",
      "by pipe",
      "as JSON",
    ]);
    const last = chats.at(-1);
    expect(JSON.parse(json.stdout)).toEqual({
      message_id: last?.id,
      cursor: last?.sequence,
      at: last?.posted_at,
    });
  });

  it("[CLI-10] with MERKLE_SESSION a single argument is the text, unless it names a session", async () => {
    const mine = await callBroker(merkle, "create_session", { title: "Mine", creator_team_name: "A" });
    const other = await callBroker(merkle, "create_session", { title: "Others", creator_team_name: "A" });
    const env = { MERKLE_SESSION: mine.slug };
    expect((await merkle.run(["post", "said here"], { env })).code).toBe(0);
    expect((await merkle.run(["post", other.slug], { env, input: "said there" })).code).toBe(0);
    const texts = async (slug: string) =>
      (await callBroker(merkle, "get_history", { session_id: slug })).messages
        .filter((each) => each.type === "chat")
        .map((each) => each.content["text"]);
    expect(await texts(mine.slug)).toEqual(["said here"]);
    expect(await texts(other.slug)).toEqual(["said there"]);
  });

  it("[CLI-15] says what is wrong: nothing to post, no text, too long, no UTF-8", {
    tags: "long",
  }, async () => {
    const { slug } = await callBroker(merkle, "create_session", { title: "Wrong", creator_team_name: "A" });
    const of = (input: string | Uint8Array) => merkle.run(["post", slug], { input });
    expect(await of("")).toMatchObject({ code: 2, stderr: expect.stringContaining("stdin was empty") });
    expect(await of(Uint8Array.of(0xff, 0xfe))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("UTF-8"),
    });
    expect(await of("x".repeat(100_000))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("longer than"),
    });
    expect(await merkle.run(["post"])).toMatchObject({ code: 2 });
    expect((await callBroker(merkle, "get_session", { session_id: slug })).last_sequence).toBe(0);
  });

  it("[CLI-15] at a terminal a missing text is a usage error, not a silent wait", {
    tags: "terminal",
  }, async () => {
    const { slug } = await callBroker(merkle, "create_session", { title: "Quiet", creator_team_name: "A" });
    const { code, screen } = await startAtTerminal(merkle, ["post", slug]).ended;
    expect(code).toBe(2);
    expect(screen).toContain("Give the message text, or - to read it from stdin.");
  });

  it("[CLI-7] Ctrl+C while it reads stdin ends it with 130, and nothing is posted", {
    tags: "terminal",
  }, async () => {
    const { slug } = await callBroker(merkle, "create_session", {
      title: "Stopped",
      creator_team_name: "A",
    });
    const typing = startAtTerminal(merkle, ["post", slug, "-"]);
    typing.type("half a sentence\n");
    await typing.waitForScreen("half a sentence");
    // Ctrl+C has no effect until the command reads from the terminal, so the test sends it repeatedly.
    const again = setInterval(() => typing.type("\u0003"), 700);
    const { code } = await typing.ended;
    clearInterval(again);
    expect(code).toBe(130);
    expect((await callBroker(merkle, "get_session", { session_id: slug })).last_sequence).toBe(0);
  });
});

describe("merkle rename", () => {
  it("[CLI-16] changes title and description with a reason, and says how many were told", async () => {
    const made = await callBroker(merkle, "create_session", { title: "Old name", creator_team_name: "A" });
    expect(await merkle.run(["rename", made.slug, "New name", "--reason", "scope moved"])).toMatchObject({
      code: 0,
      stdout: '✓ "Old name" → "New name"   notified 1 team\n',
    });
    const json = await merkle.run(["rename", made.slug, "--description", "More", "--reason", "x", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      title: "New name",
      description: "More",
      changes: { description: { from: "", to: "More" } },
    });
  });

  it("[CLI-16] names what is missing, exit 2", async () => {
    expect(await merkle.run(["rename", "any", "New"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--reason"),
    });
    await callBroker(merkle, "create_session", { title: "Bare", creator_team_name: "A" });
    expect(await merkle.run(["rename", "bare", "--reason", "x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Give a new title"),
    });
  });
});

describe("merkle conclude", () => {
  it("[CLI-18] concludes with text or a file; what is closed is exit 7 for writing and listed as closed", async () => {
    const { slug } = await callBroker(merkle, "create_session", { title: "Ends", creator_team_name: "A" });
    await writeFile(join(merkle.home, "end.md"), "Resume at the refresh flow.\n");
    expect(await merkle.run(["conclude", slug, "--file", "end.md"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(`^✓ concluded ${slug}, document v1\n✓ sealed \\d+ messages?, root \\w{4}…\\w{4}\n$`),
      ),
    });
    const { content } = await callBroker(merkle, "read_session_doc", { session_id: slug });
    expect(content).toContain("Resume at the refresh flow.");
    const late = await merkle.run(["post", slug, "too late", "--json"]);
    expect(late).toMatchObject({ code: 7, stdout: "" });
    expect(JSON.parse(late.stderr)).toMatchObject({
      error: { code: "session_closed", details: expect.any(Object) },
    });
    expect((await merkle.run(["ls", "--state", "closed", "--query", "ends"])).stdout).toMatch(/closed \d+s/);
    expect((await merkle.run(["ls"])).stderr).toMatch(/\d closed: merkle ls --state closed/);
    const again = await merkle.run(["conclude", slug, "Better words", "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ status: "closed", doc_version: 2 });
  });

  it("[CLI-18] asks first at a terminal, where anything but yes leaves it open", {
    tags: "terminal",
  }, async () => {
    const { slug } = await callBroker(merkle, "create_session", { title: "Asked", creator_team_name: "A" });
    const conclude = ["conclude", slug, "Done."];
    const no = startAtTerminal(merkle, conclude);
    await no.waitForScreen('Conclude "Asked"');
    no.type("\n");
    expect((await no.ended).screen).toContain("not concluded");
    const interrupted = startAtTerminal(merkle, conclude);
    await interrupted.waitForScreen('Conclude "Asked"');
    interrupted.type("\u0003");
    expect((await interrupted.ended).code).toBe(130);
    expect((await callBroker(merkle, "get_session", { session_id: slug })).session_closed).toBe(false);
    const yes = startAtTerminal(merkle, conclude);
    await yes.waitForScreen('Conclude "Asked"');
    yes.type("y\n");
    expect((await yes.ended).code).toBe(0);
    expect((await callBroker(merkle, "get_session", { session_id: slug })).session_closed).toBe(true);
  });

  it("[CLI-18] says what is missing, and takes not two conclusions", async () => {
    const { slug } = await callBroker(merkle, "create_session", { title: "Twice", creator_team_name: "A" });
    expect(await merkle.run(["conclude", slug])).toMatchObject({ code: 2 });
    expect(await merkle.run(["conclude", slug, "x", "--file", "y"])).toMatchObject({ code: 2 });
    expect(await merkle.run(["conclude", slug, "--file", "no.md"])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("There is no file no.md"),
    });
  });
});

describe("merkle open", () => {
  it("[CLI-93] open leads to a session of another mesh, by an address that takes the pages there", async () => {
    await merkle.run(["mesh", "create", "second"]);
    await merkle.run(["new", "In second", "--mesh", "second"]);
    const { url } = await merkle.readRunFile();
    const opened = await merkle.run(["open", "in-second", "--mesh", "second", "--json"]);
    expect(JSON.parse(opened.stdout)).toEqual({ url: `${url}/sessions/in-second?mesh=second` });
    const printed = await merkle.run(["open", "in-second", "--mesh", "second", "--print"]);
    expect(printed.stdout).toMatch(/\/sessions\/in-second\?mesh=second#verify=/);
  });

  it("[CLI-19] [CLI-90] prints the dashboard's address, and gives it to the browser where there is one", async () => {
    const { url } = await merkle.readRunFile();
    const { slug } = await callBroker(merkle, "create_session", { title: "Opened", creator_team_name: "A" });
    expect(await merkle.run(["open"])).toEqual({
      code: 0,
      stdout: `${url}/\n`,
      stderr: "  no browser on this machine; open the link on yours\n",
    });
    const seen = createServer().listen(0, "127.0.0.1");
    await once(seen, "listening");
    const address = seen.address();
    const port = typeof address === "object" ? address?.port : 0;
    const browser = join(merkle.home, "browser");
    const script = `require("node:net").connect(${port}).end(process.argv[2])`;
    await writeFile(browser, `#!${process.execPath}\n${script}\n`, { mode: 0o755 });
    const opened = once(seen, "connection");
    const ended = await merkle.run(["open", slug], { env: { BROWSER: browser } });
    expect(ended).toEqual({ code: 0, stdout: `${url}/sessions/${slug}\n`, stderr: "" });
    const [socket] = await opened;
    const page = String((await once(socket, "data"))[0]);
    expect(page).toBe(join(merkle.home, "open.html"));
    expect((await stat(page)).mode & 0o777).toBe(0o600);
    const link = /location\.replace\("(.*)"\)/.exec(await readFile(page, "utf8"))?.[1] ?? "";
    expect(link).toContain(`${url}/sessions/${slug}#verify=mkv_`);
    socket.destroy();
    seen.close();
    const json = await merkle.run(["open", slug, "--json"], { env: { BROWSER: "/no/such" } });
    expect(json).toEqual({ code: 0, stdout: `{"url":"${url}/sessions/${slug}"}\n`, stderr: "" });
    // A printed link verifies one person, and works once. In an agent's shell no link is printed.
    const printed = await merkle.run(["open", slug, "--print"]);
    const [, code = ""] = printed.stdout.trim().split("#verify=");
    expect(printed).toEqual({ code: 0, stdout: `${url}/sessions/${slug}#verify=${code}\n`, stderr: "" });
    const made = await callBroker(merkle, "create_person", { name: "Fay", code });
    expect(made).toMatchObject({ verified: true });
    for (const mark of ["MERKLE_SESSION", "CLAUDECODE", "AI_AGENT"]) {
      const refused = await merkle.run(["open", "--print"], { env: { [mark]: slug } });
      expect(refused, mark).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining(mark) });
    }
  });
});

it("[CLI-2] without a broker every one of them is exit 3", { tags: "long" }, async () => {
  const env = { MERKLE_URL: "http://127.0.0.1:1" };
  for (const args of [
    ["ls"],
    ["show", "x"],
    ["new", "x"],
    ["post", "x", "y"],
    ["open"],
    ["doc", "show", "x"],
  ]) {
    expect(await merkle.run(args, { env }), args.join(" ")).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/^✗ can't reach http:\/\/127\.0\.0\.1:1 .*\n {4}try: merkle up/),
    });
  }
});
