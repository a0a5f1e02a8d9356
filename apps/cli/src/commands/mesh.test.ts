import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseTeamCredential } from "@merkle/wire";
import { describe, expect, inject, it } from "vitest";
import { saveStoredPeer } from "../home/stored-peers.js";
import { callBroker } from "../test-kit/api.js";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";
import { startAtTerminal } from "../test-kit/terminal.js";

const merkle = setUpSharedMerkle();
const program = inject("program");

/** Creates a session convened by Atlas and joined by Cedar's peer cy. */
async function createSessionWithPeer(title: string) {
  const made = await callBroker(merkle, "create_session", { title, creator_team_name: "Atlas" });
  const cedar = await callBroker(merkle, "join_session", {
    session_id: made.slug,
    team_name: "Cedar",
    peer_name: "cy",
    role: "lead",
    groups: ["backend:db"],
  });
  return { slug: made.slug, atlas: made.team_id, cy: cedar.peer_id ?? "", cedar };
}

async function listChats(slug: string) {
  const { messages } = await callBroker(merkle, "get_history", { session_id: slug });
  return messages.filter((each) => each.type === "chat");
}

describe("merkle peers", () => {
  it("[CLI-40] shows who is there, what most needs somebody first, and who has left", {
    tags: "long",
  }, async () => {
    const { slug, cy } = await createSessionWithPeer("Peers here");
    const dune = await callBroker(merkle, "join_session", { session_id: slug, team_name: "Dune" });
    await callBroker(merkle, "leave_session", { session_id: slug }, dune.team_id);
    const blocked = { session_id: slug, status: "blocked" as const, reason: "needs\nstaging key" };
    await callBroker(merkle, "set_status", blocked, cy);
    await callBroker(merkle, "set_summary", { session_id: slug, summary: "Moving tokens" }, cy);
    const { stdout } = await merkle.run(["peers", slug]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(
        /^◆ Cedar\/cy +lead @backend:db +blocked \d+s "needs staging key", (?:active|idle) +Moving tokens \(\d+s ago\)$/,
      ),
      expect.stringMatching(/^[●◐] Atlas +(?:active|idle)$/),
      expect.stringMatching(/^○ Dune +left \d+s ago$/),
    ]);
    const inGroup = await merkle.run(["peers", slug, "--group", "@backend", "--json"]);
    const { peers } = JSON.parse(inGroup.stdout);
    expect(peers).toMatchObject([{ team: "Cedar", name: "cy" }]);
    expect(inGroup.stdout).not.toContain("mk_");
  });
});

describe("merkle post, to some", () => {
  it("[CLI-42] says of each that it reaches what is known, and warns of those that are away", {
    tags: "long",
  }, async () => {
    const { slug, cy } = await createSessionWithPeer("Directed");
    const ask = ["Which key?", "--to", "cy,@backend", "--to", "Atlas", "--ask", "--option", "vault"];
    const { stdout, code } = await merkle.run(["post", slug, ...ask, "--option", "new", "--priority", "now"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^✓ #\d+ posted, delivered 0\/2 \(Atlas \w+, reads at its next poll; Cedar\/cy \w+, reads at its next poll\)\n$/,
      ),
    });
    const [asked] = await listChats(slug);
    expect(asked).toMatchObject({
      to: ["Cedar/cy", "@backend", "Atlas"],
      priority: "now",
      content: { text: "Which key?", kind: "ask", options: ["vault", "new"] },
    });
    const number = String(asked?.sequence);
    const answer = ["post", slug, "--reply-to", `#${number}`, "--answer", "VAULT", "--json"];
    expect(JSON.parse((await merkle.run(answer)).stdout)).not.toHaveProperty("recipients");
    const second = await merkle.run(["post", slug, "no", "--reply-to", number, "--answer", "new"]);
    expect(second).toMatchObject({ code: 6, stdout: "" });
    expect((await listChats(slug)).at(-1)).toMatchObject({
      reply_to: asked?.sequence,
      content: { text: "VAULT", answer: "vault" },
    });
    expect(await merkle.run(["post", slug, "x", "--to", "nobdy"])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("In this session: "),
    });
    expect(cy).toContain("mk_");
  });
});

describe("merkle nudge, hold and resume", () => {
  it("[CLI-41] tells what a nudge reached: a parked wait, or nothing", async () => {
    const { slug, cy } = await createSessionWithPeer("Nudged");
    // Uses fetch, because commands time out after ten seconds and agents' clients do not.
    const { url } = await merkle.readRunFile();
    const wait = `${url}/api/sessions/${slug}/messages/wait?timeout=30`;
    const waiting = fetch(wait, { headers: { "X-Team-ID": cy } });
    await expect
      .poll(async () => (await callBroker(merkle, "list_peers", { session_id: slug })).peers)
      .toContainEqual(expect.objectContaining({ name: "cy", polling: true }));
    const { stdout } = await merkle.run(["nudge", slug, "cy, Atlas"]);
    expect(await waiting).toMatchObject({ status: 200 });
    expect(stdout.split("\n").sort()).toEqual([
      "",
      expect.stringMatching(/^! Atlas is offline, last seen \d+[sm] ago; it reads when it reconnects$/),
      "✓ Cedar/cy woken: its wait returned",
    ]);
    expect(await merkle.run(["nudge", slug])).toMatchObject({ code: 2 });
  });

  it("[CLI-47] a hold ends an agent's post with 7 until it is resumed; ls --needs and show tell of it", async () => {
    const { slug, cedar, cy } = await createSessionWithPeer("Held here");
    const { mesh_id } = await callBroker(merkle, "get_app_info", {});
    const peer_id = parseTeamCredential(cy)?.teamId ?? "";
    await saveStoredPeer(merkle.home, {
      mesh_id,
      session_id: cedar.session_id,
      slug,
      team_id: parseTeamCredential(cedar.team_id)?.teamId ?? "",
      team_name: "Cedar",
      peer_id,
      peer_name: "cy",
      role: null,
      groups: [],
      credential: cy,
      session_key: null,
      claude_session_id: null,
      folder: null,
      saved_at: new Date().toISOString(),
    });
    const env = { MERKLE_SESSION: slug, MERKLE_TEAM: "Cedar", MERKLE_PEER: peer_id };
    // The question is addressed to everyone, including humans.
    expect(await merkle.run(["post", slug, "May I?", "--ask"], { env })).toMatchObject({ code: 0 });

    expect((await merkle.run(["hold", slug, "--reason", "wait"])).stdout).toMatch(
      /^✓ held by .+ for 2 teams: wait; work already running on their machines continues\n$/,
    );
    const [late, shown, needs] = await Promise.all([
      merkle.run(["post", "too late", "--json"], { env }),
      merkle.run(["show", slug]),
      merkle.run(["ls", "--needs", "--query", "Held here"]),
    ]);
    expect(late).toMatchObject({ code: 7, stderr: expect.stringContaining('"session_held"') });
    expect(shown.stdout).toMatch(/\nheld by .+: wait; resume it: merkle resume held-here\n/);
    expect(needs.stdout).toMatch(
      /^held-here {2}Held here\n {2}◆ {2}Cedar\/cy asks "May I\?" #\d+ \d+[sm] ago\n {2}◆ {2}held by .+: wait\n$/,
    );
    expect((await merkle.run(["resume", slug, "--budget", "20"])).stdout).toBe(
      "✓ resumed: agents can post, 20 messages until the next message from a human\n",
    );
    const json = await merkle.run(["ls", "--needs", "--query", "Held here", "--json"]);
    expect(JSON.parse(json.stdout).sessions).toMatchObject([
      { slug, needs: [{ kind: "ask", from: "Cedar/cy" }] },
    ]);
    expect((await merkle.run(["status"])).stdout).toMatch(/open sessions?, \d+ needs? you\n$/);
  });
});

describe("merkle watch", () => {
  it("[CLI-48] [CLI-50] shows needs, roster and feed, takes what is typed, and gives the terminal back", {
    tags: "terminal",
  }, async () => {
    const { slug, cy } = await createSessionWithPeer("Watched live");
    const blocked = { session_id: slug, status: "blocked" as const, reason: "no key" };
    await callBroker(merkle, "set_status", blocked, cy);
    const watching = startAtTerminal(merkle, ["watch", slug], { NO_COLOR: "1" });
    await watching.waitForScreen("Cedar/cy is blocked");
    await watching.waitForScreen("Cedar joined");
    await callBroker(merkle, "post_message", { session_id: slug, content: { text: "hi there" } }, cy);
    await watching.waitForScreen("Cedar/cy → everyone  hi there");
    watching.type("cUse the vault\r");
    await watching.waitForScreen("you (human) → everyone  Use the vault");
    watching.type("q");
    const { code, screen } = await watching.ended;
    expect(code).toBe(0);
    expect(screen.endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
    expect((await listChats(slug)).map((each) => each.content["text"])).toEqual([
      "hi there",
      "Use the vault",
    ]);
  });

  it("[CLI-50] Ctrl+C ends it with 130, and gives the terminal back", { tags: "terminal" }, async () => {
    const { slug } = await createSessionWithPeer("Interrupted");
    const watching = startAtTerminal(merkle, ["watch", slug], { NO_COLOR: "1" });
    await watching.waitForScreen("q quit");
    watching.type("\u0003");
    const { code, screen } = await watching.ended;
    expect(code).toBe(130);
    expect(screen.endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
  });

  it("[CLI-49] without a terminal it is a tail", async () => {
    const { slug } = await createSessionWithPeer("Piped watch");
    const watching = merkle.start(["watch", slug, "--since", "0"]);
    await watching.waitForOutput("Cedar joined\n");
    watching.process.kill("SIGTERM");
    expect(await watching.ended).toMatchObject({ code: 130, stdout: expect.not.stringContaining("\u001b") });
  });
});

describe("merkle completion", () => {
  it("[CLI-58] [CLI-59] bash completes commands, flags, sessions and groups; without a broker it is silent", {
    tags: "long",
  }, async () => {
    const { slug } = await createSessionWithPeer("Completed words");
    const script = await merkle.run(["completion", "bash"]);
    expect(script).toMatchObject({ code: 0, stderr: "" });
    await writeFile(join(merkle.home, "merkle.bash"), script.stdout);
    const { url } = await merkle.readRunFile();
    const lines = [
      "merkle up",
      "merkle config g",
      "merkle show completed-",
      `merkle post ${slug} x --to @ba`,
    ];
    const asked = lines.map((line) => `try ${JSON.stringify(line)} ${url}`);
    const test = [
      "source merkle.bash",
      `merkle() { "${process.execPath}" "${program}" "$@"; }`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: bash replaces it.
      'try() { COMP_LINE=$1; COMP_POINT=${#1}; export MERKLE_URL=$2; _merkle merkle; echo "${COMPREPLY[*]}"; }',
      ...asked,
      'try "merkle show x" http://127.0.0.1:1',
    ].join("\n");
    const { stdout, stderr } = await promisify(execFile)("bash", ["--norc", "-c", test], {
      cwd: merkle.home,
      env: { PATH: process.env["PATH"], HOME: merkle.home, MERKLE_HOME: merkle.home },
    });
    expect({ stdout, stderr }).toEqual({ stdout: `up upgrade\nget\n${slug}\nbackend\n\n`, stderr: "" });
  });

  // Tagged, because fish is not installed on most machines that run the tests.
  it("[CLI-58] fish completes by its script", { tags: "fish" }, async () => {
    expect(
      await completeWith("fish", (file) => [
        "--no-config",
        "-c",
        `source ${file}; complete -C "merkle config g"`,
      ]),
    ).toBe("get\n");
  });

  it("[CLI-58] zsh reads its script", { tags: "zsh" }, async () => {
    expect(await completeWith("zsh", (file) => ["-f", "-n", file])).toBe("");
  });

  /** Returns the output of a shell that has the completion script and a merkle command on its PATH. */
  async function completeWith(shell: string, args: (file: string) => string[]): Promise<string> {
    const file = join(merkle.home, `merkle.${shell}`);
    await writeFile(file, (await merkle.run(["completion", shell])).stdout);
    const command = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`;
    await writeFile(join(merkle.home, "merkle"), command, { mode: 0o755 });
    const env = {
      PATH: `${merkle.home}:${process.env["PATH"]}`,
      HOME: merkle.home,
      MERKLE_HOME: merkle.home,
    };
    return (await promisify(execFile)(shell, args(file), { env })).stdout;
  }
});
