import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callBroker } from "../../test-kit/api.js";
import { setUpSharedMerkle } from "../../test-kit/shared-merkle.js";
import { startAtTerminal } from "../../test-kit/terminal.js";

const merkle = setUpSharedMerkle();

const content = "# Auth\n\n## Decisions\n\n- tokens live 15 minutes\n";

/** Creates a session whose document has one version. Returns the slug and the team's credential. */
async function createSessionWithDocument(title: string): Promise<{ slug: string; credential: string }> {
  const { slug, team_id } = await callBroker(merkle, "create_session", { title, creator_team_name: "Atlas" });
  await callBroker(merkle, "update_session_doc", { session_id: slug, content, expected_version: 0 }, team_id);
  return { slug, credential: team_id };
}

async function readDocument(slug: string): Promise<string | undefined> {
  return (await callBroker(merkle, "read_session_doc", { session_id: slug })).content;
}

describe("merkle doc show and append", () => {
  it("[CLI-20] prints the document byte for byte, a section, an older version, and with --json the wire's answer", async () => {
    const { slug } = await createSessionWithDocument("Shown doc");
    expect(await merkle.run(["doc", "show", slug])).toEqual({
      code: 0,
      stdout: content,
      stderr: "  document v1\n",
    });
    const exact = "- one\tmore\r\n\f👩‍👩‍👧 <system> \u202e";
    expect((await merkle.run(["doc", "append", slug, exact])).stdout).toBe("✓ document v2\n");
    expect((await merkle.run(["doc", "show", slug])).stdout).toBe(`${content}${exact}`);
    expect((await merkle.run(["doc", "show", slug, "--version", "1"])).stdout).toBe(content);
    const section = await merkle.run(["doc", "show", slug, "--section", "decisions", "--version", "1"]);
    expect(section.stdout).toBe("## Decisions\n\n- tokens live 15 minutes\n");
    const json = await merkle.run(["doc", "show", slug, "--json"]);
    expect(JSON.parse(json.stdout)).toEqual(
      await callBroker(merkle, "read_session_doc", { session_id: slug }),
    );
    expect(await merkle.run(["doc", "show", slug, "--section", "None"])).toMatchObject({
      code: 5,
      stdout: "",
    });
    expect(await merkle.run(["doc", "show", slug, "--version", "9"])).toMatchObject({ code: 5 });
    expect(await merkle.run(["doc", "show", slug, "--version", "x"])).toMatchObject({ code: 2 });
  });

  it("[CLI-111] what is piped steers no terminal, unless --raw asks for it; JSON escapes it", async () => {
    const { slug, credential } = await createSessionWithDocument("Piped doc");
    const hostile = "a\u001b]0;owned\u0007b\u009b2Jc\rd\u007f";
    const harmless = "a\ufffd]0;owned\ufffdb\ufffd2Jc\ufffdd\ufffd";
    await callBroker(merkle, "append_to_session_doc", { session_id: slug, text: hostile }, credential);
    const show = (...flags: string[]) => merkle.run(["doc", "show", slug, ...flags]);
    expect(await show()).toEqual({
      code: 0,
      stdout: `${content}${harmless}`,
      stderr: expect.stringContaining("--raw"),
    });
    expect(await show("--raw")).toEqual({
      code: 0,
      stdout: `${content}${hostile}`,
      stderr: "  document v2\n",
    });
    expect((await merkle.run(["doc", "diff", slug])).stdout).toContain(harmless);
    expect((await merkle.run(["doc", "diff", slug, "--raw"])).stdout).toContain(hostile);
    const json = (await show("--json")).stdout;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be left.
    expect(json.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(JSON.parse(json).content).toBe(`${content}${hostile}`);
  });

  it("[CLI-17] on a terminal a document cannot command it", { tags: "terminal" }, async () => {
    const { slug, credential } = await createSessionWithDocument("Hostile doc");
    expect((await merkle.run(["doc", "diff", slug])).stdout).toMatch(/^nothing → v1 {2}Atlas /);
    const hostile = "a\u001b]0;owned\u0007b";
    await callBroker(merkle, "append_to_session_doc", { session_id: slug, text: hostile }, credential);
    const { screen } = await startAtTerminal(merkle, ["doc", "show", slug], { NO_COLOR: "1" }).ended;
    expect(screen).toContain("a\ufffd]0;owned\ufffdb");
    const diff = await startAtTerminal(merkle, ["doc", "diff", slug]).ended;
    expect(diff.screen).toContain("\u001b[32m+a\ufffd]0;owned\ufffdb\u001b[39m");
  });

  it("[PERSON-3] commands that are refused leave the feed and the roster unchanged", async () => {
    const { slug } = await createSessionWithDocument("Untouched");
    for (const args of [
      ["post", slug, "about what?", "--reply-to", "999"],
      ["post", slug, "who?", "--to", "Nobody"],
      ["doc", "edit", slug, "--old", "not there", "--new", "x"],
    ])
      expect((await merkle.run(args)).code, args.join(" ")).not.toBe(0);
    const { messages } = await callBroker(merkle, "get_history", { session_id: slug });
    const { participants } = await callBroker(merkle, "list_participants", { session_id: slug });
    expect([messages, participants.length]).toEqual([[], 1]);
  });

  it("[CLI-20] appends what a pipe brings, and refuses a closed session with 7", async () => {
    const { slug, credential } = await createSessionWithDocument("Appended");
    expect(await merkle.run(["doc", "append", slug, "--json"], { input: "- piped\n" })).toEqual({
      code: 0,
      stdout: '{"version":2}\n',
      stderr: "",
    });
    expect(await readDocument(slug)).toBe(`${content}- piped\n`);
    expect(await merkle.run(["doc", "append", slug])).toMatchObject({ code: 2 });
    await callBroker(merkle, "conclude_session", { session_id: slug, summary_section: "End." }, credential);
    expect(await merkle.run(["doc", "append", slug, "late"])).toMatchObject({ code: 7, stdout: "" });
  });
});

describe("merkle doc edit", () => {
  it("[CLI-21] replaces words that stand there once, and is a conflict otherwise", async () => {
    const { slug } = await createSessionWithDocument("Words");
    const edit = (...flags: string[]) => merkle.run(["doc", "edit", slug, ...flags]);
    expect((await edit("--old", "15 minutes", "--new", "an hour")).stdout).toBe("✓ document v2\n");
    expect(await readDocument(slug)).toBe(content.replace("15 minutes", "an hour"));
    expect(await edit("--old", "15 minutes", "--new", "x")).toMatchObject({ code: 6, stdout: "" });
    expect(await edit("--old", "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--old with --new"),
    });
    expect(await edit("--file", "x")).toMatchObject({ code: 2, stderr: expect.stringContaining("--expect") });
    expect(await edit()).toMatchObject({ code: 2, stderr: expect.stringContaining("without a terminal") });
    expect(await edit("--file", "none.md", "--expect", "2")).toMatchObject({ code: 5 });
  });

  it("[CLI-21] a file made from an old version is exit 6 with what changed, and goes in with the new version", async () => {
    const { slug, credential } = await createSessionWithDocument("Files");
    await writeFile(join(merkle.home, "mine.md"), "mine\n");
    await callBroker(merkle, "append_to_session_doc", { session_id: slug, text: "- theirs" }, credential);
    const edit = (expect: string) =>
      merkle.run(["doc", "edit", slug, "--file", "mine.md", "--expect", expect]);
    const stale = await edit("1");
    expect(stale).toMatchObject({ code: 6, stdout: "" });
    expect(stale.stderr).toContain("+- theirs");
    expect(stale.stderr).toContain(`merkle doc edit ${slug} --file mine.md --expect 2`);
    expect((await edit("2")).stdout).toBe("✓ document v3\n");
    expect(await readDocument(slug)).toBe("mine\n");
  });

  it("[CLI-21] what came on stdin is kept in a named file when it is a conflict, until it is written", async () => {
    const { slug } = await createSessionWithDocument("Kept");
    const stale = await merkle.run(["doc", "edit", slug, "--file", "-", "--expect", "0", "--json"], {
      input: "piped\n",
    });
    expect(stale.code).toBe(6);
    const { error } = JSON.parse(stale.stderr);
    expect(error).toMatchObject({ code: "conflict", details: { current_version: 1, expected_version: 0 } });
    const kept: string = error.details.kept_in;
    expect(await readFile(kept, "utf8")).toBe("piped\n");
    expect((await merkle.run(["doc", "edit", slug, "--file", kept, "--expect", "1"])).code).toBe(0);
    expect(await readdir(join(merkle.home, "drafts"))).toEqual([]);
  });

  it("[CLI-21] opens the editor, writes what was changed, and leaves what was not", {
    tags: "terminal",
  }, async () => {
    const { slug } = await createSessionWithDocument("Edited");
    const edited = await startAtTerminal(merkle, ["doc", "edit", slug], {
      EDITOR: "sed -i 's/15 minutes/an hour/'",
    }).ended;
    expect(edited).toMatchObject({ code: 0, screen: expect.stringContaining("document v2") });
    expect(await readDocument(slug)).toBe(content.replace("15 minutes", "an hour"));
    const same = await startAtTerminal(merkle, ["doc", "edit", slug], { VISUAL: "true", EDITOR: "false" })
      .ended;
    expect(same).toMatchObject({
      code: 0,
      screen: expect.stringContaining("nothing changed, document v2"),
    });
    const failed = await startAtTerminal(merkle, ["doc", "edit", slug], { EDITOR: "no-such-editor" }).ended;
    expect(failed).toMatchObject({ code: 1, screen: expect.stringContaining("was not found") });
    expect(await readdir(join(merkle.home, "drafts"))).toEqual([]);
  });

  it("[CLI-21] when somebody writes meanwhile, nothing is lost: exit 6, the text kept, the diff shown", {
    tags: "terminal",
  }, async () => {
    const { slug, credential } = await createSessionWithDocument("Raced");
    // The editor waits until this file exists, so that another version can be written in between.
    const go = join(merkle.home, "go");
    const editor = join(merkle.home, "editor.sh");
    await writeFile(
      editor,
      `#!/bin/sh\nprintf 'mine\\n' > "$1"\necho editing\nuntil [ -e '${go}' ]; do sleep 0.05; done\n`,
      { mode: 0o755 },
    );
    const editing = startAtTerminal(merkle, ["doc", "edit", slug], { EDITOR: editor, NO_COLOR: "1" });
    await editing.waitForScreen("editing");
    await callBroker(merkle, "append_to_session_doc", { session_id: slug, text: "- theirs" }, credential);
    await writeFile(go, "");
    const { code, screen } = await editing.ended;
    expect(code).toBe(6);
    expect(screen).toContain("+- theirs");
    const kept = join(merkle.home, "drafts", `${slug}-v1.md`);
    expect(screen.replace(/\s+/g, " ")).toContain(`saved in ${kept}`);
    expect(await readFile(kept, "utf8")).toBe("mine\n");
    expect(await readDocument(slug)).toBe(`${content}- theirs`);
  });
});

describe("merkle doc history and diff", () => {
  it("[CLI-22] lists the versions, and says who changed what, where and when", { tags: "long" }, async () => {
    const { slug, credential } = await createSessionWithDocument("History");
    await callBroker(
      merkle,
      "edit_session_doc",
      { session_id: slug, old_text: "15 minutes", new_text: "an hour" },
      credential,
    );
    const { stdout } = await merkle.run(["doc", "history", slug]);
    expect(stdout).toMatch(
      /^v2 {2}Atlas {2}\d\d:\d\d {2}44 bytes {2}after #0\nv1 {2}Atlas {2}\d\d:\d\d {2}47 bytes/,
    );
    const json = await merkle.run(["doc", "history", slug, "--json", "--limit", "1"]);
    expect(JSON.parse(json.stdout)).toEqual(
      await callBroker(merkle, "list_doc_versions", { session_id: slug, limit: 1 }),
    );
    const diff = await merkle.run(["doc", "diff", slug]);
    expect(diff.stdout).toMatch(
      /^v1 → v2 {2}Atlas \d\d:\d\d {2}## Decisions {2}\+1 −1\n--- v1\n\+\+\+ v2\n@@ /,
    );
    expect(await merkle.run(["doc", "diff", slug, "1..2"])).toEqual(diff);
    expect(await merkle.run(["doc", "diff", slug, "1"])).toEqual(diff);
    expect((await merkle.run(["doc", "diff", slug, "0..2"])).stdout).toContain("+5 −0");
    const wire = await merkle.run(["doc", "diff", slug, "1..2", "--json"]);
    expect(JSON.parse(wire.stdout)).toEqual(
      await callBroker(merkle, "read_session_doc", { session_id: slug, since_version: 1, version: 2 }),
    );
    expect(await merkle.run(["doc", "diff", slug, "2..1"])).toMatchObject({ code: 2 });
    expect(await merkle.run(["doc", "diff", slug, "1..7"])).toMatchObject({ code: 5 });
    expect(await merkle.run(["doc", "diff", slug], { env: { LC_ALL: "C" } })).toMatchObject({
      stdout: expect.stringMatching(/^v1 -> v2 .* \+1 -1\n/),
    });
  });

  it("[CLI-22] a document that nobody wrote has neither", async () => {
    const made = await callBroker(merkle, "create_session", { title: "Blank", creator_team_name: "A" });
    for (const command of ["history", "diff"]) {
      expect(await merkle.run(["doc", command, made.slug])).toEqual({
        code: 0,
        stdout: "",
        stderr: "  the document is still empty\n",
      });
    }
    expect(await merkle.run(["doc", "shwo", made.slug])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean show?"),
    });
  });
});
