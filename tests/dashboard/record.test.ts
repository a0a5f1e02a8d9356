import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTestSession } from "../kit/session.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { zipTexts } from "../record/bundles.js";
import { type BundleTexts, makeBundle, makeKey, signManifest } from "../record/made-bundle.js";
import { fetchBundle, toFile, withChange } from "./bundle.js";
import { phone, testDashboard } from "./open-dashboard.js";
import { openPalette } from "./open-palette.js";

const dashboard = testDashboard();
const limits = "Unchanged since it was signed. This does not prove that its content is true or complete.";

describe("the record of a session", { tags: "chromium" }, () => {
  /**
   * Stages a session in which Birch joins Atlas, and they exchange messages and make a decision. The session has four
   * messages, and a fifth if it is concluded.
   */
  async function stage({ concluded = true } = {}) {
    const session = await createTestSession(dashboard.rest);
    const at = { session_id: session.sessionId, team_id: session.convener };
    const { credential } = await session.join("Birch");
    await session.post(session.convener, "The token table is ready.");
    await session.post(credential, "The gateway takes both.");
    await dashboard.rest.call("post_message", { ...at, content: { text: "Issuer first", kind: "decision" } });
    const conclude = () =>
      dashboard.rest.call("conclude_session", { ...at, summary_section: "Issuer it is." });
    if (concluded) await conclude();
    return { session, at, conclude, path: `/sessions/${session.slug}` };
  }

  it("[DASH-256] [DASH-257] the audit log is live, newest first, and the seal card says what is signed, before and after the conclusion", async () => {
    const { session, at, conclude, path } = await stage({ concluded: false });
    const { page, problems, findBarriers } = await dashboard.open(`${path}/audit`);
    const log = page.getByRole("list", { name: "Audit log, newest first" });
    const rows = log.getByRole("listitem");
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringContaining("decided: Issuer first"),
      expect.stringContaining("joined"),
    ]);
    await page.getByText("Not sealed yet").waitFor();
    expect(await findBarriers()).toEqual([]);

    await dashboard.rest.call("set_state", { ...at, key: "frozen", value: true });
    await dashboard.rest.call("update_session_metadata", { ...at, title: "Issuer", reason: "Legal agreed" });
    await rows.first().getByText("Reason: Legal agreed").waitFor();
    await page.getByText("1 state change not shown", { exact: false }).waitFor();
    await page.getByRole("combobox", { name: "Event type" }).selectOption({ label: "Decisions" });
    await page.waitForURL("**?kind=decision");
    expect(await rows.count()).toBe(1);
    await page.getByRole("combobox", { name: "Event type" }).selectOption({ label: "Everything" });

    await conclude();
    await page.getByText(/^Sealed by/).waitFor();
    const { seals } = await dashboard.rest.call("session_seal", { session_id: session.sessionId });
    const seal = page.getByRole("region", { name: "Seal" });
    await seal.getByText(seals[0]?.root ?? "no seal").waitFor();
    expect(await seal.getByText(limits).count()).toBe(0);
    await rows
      .first()
      .getByText(/^Sealed 6 messages, root /)
      .waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-409] an agent's name and card lead to what it did: messages, tasks, versions and branch, newest first and live", async () => {
    const { rest } = dashboard;
    const { session, path } = await stage({ concluded: false });
    const { sessionId: session_id } = session;
    const birch = { session_id, team_id: (await session.join("Birch Bark")).credential };
    const { task } = await rest.call("create_task", {
      ...{ session_id, team_id: session.convener, title: "Rotate the tokens" },
    });
    await rest.call("claim_task", { ...birch, task });
    await rest.call("append_to_session_doc", { ...birch, text: "- Two tabs race\n- One lock" });
    await rest.call("append_to_session_doc", {
      session_id,
      team_id: session.convener,
      text: "- Not Birch's",
    });
    await rest.call("post_message", { ...birch, to: ["Atlas"], content: { text: "The lock holds." } });
    await rest.call("finish_task", { ...birch, task, result: "Tokens rotate under a lock" });
    await rest.call("report_checkout", {
      ...birch,
      checkout: {
        ...{ repository: "github.com/acme/app", branch: "tokens", worktree: null, base: "origin/main" },
        ...{ files: 3, added: 40, removed: 2, pull_request: null },
      },
    });

    const as = await dashboard.newPerson();
    const { page, problems, findBarriers } = await dashboard.open(`/agents?q=${session.slug.slice(-12)}`, {
      as,
    });
    await page.getByRole("link", { name: "Birch Bark", exact: true }).click();
    await page.waitForURL(`**${path}/audit?by=Birch%20Bark`);
    await page.getByRole("heading", { name: "What Birch Bark did" }).waitFor();
    const rows = page.getByRole("list", { name: "Work log, newest first" }).getByRole("listitem");
    await rows.getByText("+2").waitFor();
    const texts = (await rows.allInnerTexts()).map((text) => text.replace(/[\u2066-\u2069]/g, ""));
    expect(texts).toEqual([
      expect.stringContaining(`Birch Bark finished task ${task}`),
      expect.stringContaining("Birch Bark posted to Atlas: The lock holds."),
      expect.stringContaining("Birch Bark wrote document v1"),
      expect.stringContaining(`Birch Bark claimed task ${task}`),
      expect.stringContaining("Birch Bark joined"),
    ]);
    expect(texts[0]).toContain("Tokens rotate under a lock");
    await page.getByRole("list", { name: "Branches" }).getByText("app / tokens").waitFor();
    expect(await findBarriers()).toEqual([]);

    // A new version and message appear without a reload; what others do does not.
    await rest.call("append_to_session_doc", { ...birch, text: "- Settled" });
    await rows.first().getByText("wrote document v3").waitFor();
    await session.post(session.convener, "Thanks");
    await session.post(birch.team_id, "Done for today");
    await rows.first().getByText("posted to everyone: Done for today", { exact: false }).waitFor();
    expect(await rows.count()).toBe(7);
    await rows.getByRole("link", { name: "v3" }).click();
    await page.waitForURL(`**${path}/doc?compare=2..3`);

    await page.goBack();
    const select = page.getByRole("combobox", { name: "Done by" });
    await select.selectOption({ label: "Atlas" });
    await page.getByRole("heading", { name: "What Atlas did" }).waitFor();
    await rows.getByText("wrote document v2").waitFor();
    await select.selectOption({ label: "Everyone" });
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    await page
      .getByRole("button", { name: /^Birch Bark/ })
      .first()
      .click();
    await page.getByRole("link", { name: "What Birch Bark did" }).click();
    await page.getByRole("heading", { name: "What Birch Bark did" }).waitFor();
    expect(problems).toEqual([]);

    const small = await dashboard.open(`${path}/audit?by=Birch%20Bark`, { as, ...phone });
    await small.page.getByText("Done for today", { exact: false }).waitFor();
    expect(await small.findBarriers()).toEqual([]);
    expect(small.problems).toEqual([]);
  });

  it("[DASH-258] a closed session leads to its exports and its check, with nothing secret in an address", async () => {
    const { session, path } = await stage();
    const { page, problems, findBarriers } = await dashboard.open(path, { as: await dashboard.newPerson() });
    const exported = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export" }).click();
    expect((await exported).url()).toBe(
      `${dashboard.broker.url}/api/sessions/${session.slug}/export?as=bundle`,
    );
    await page.getByRole("link", { name: "Verify", exact: true }).last().click();

    const sheet = page.getByRole("dialog", { name: "Verify here" });
    await sheet.getByText(/^5 of 5 messages match the signed root/).waitFor();
    await sheet.getByText(limits).waitFor();
    await sheet.getByText("known to this browser").waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    const seal = page.getByRole("region", { name: "Seal" });
    await seal.getByText(/^Verified in this browser/).waitFor();
    await seal.getByText(limits).waitFor();
    const links = page.getByRole("region", { name: "Export" }).getByRole("link");
    const addresses = (await links.all()).map((link) => link.getAttribute("href"));
    expect(await Promise.all(addresses)).toEqual(
      ["bundle", "html", "md", "ndjson"].map((as) => `/api${path}/export?as=${as}`),
    );
    expect(problems).toEqual([]);
  });

  it("[DASH-259] a message's proof is computed here before anything is ticked, and one of a changed database proves nothing", async () => {
    const { session, path } = await stage();
    const { page, problems, findBarriers } = await dashboard.open(path);
    await page.getByRole("button", { name: "More about message 2" }).click();
    await page.getByRole("button", { name: "Proof" }).click();
    await page.waitForURL("**?proof=2");
    const sheet = page.getByRole("dialog", { name: "Proof of message 2" });
    await sheet.getByText(/^Message 2 leads to root .*, computed here\.$/).waitFor();
    await sheet.getByText(limits).waitFor();
    await sheet.getByText("The token table is ready.", { exact: false }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("More about message 2");

    await rewrite(session.sessionId, 2, "The token table is gone.");
    await page.goto(`${dashboard.broker.url}${path}?proof=2`);
    await sheet.locator("[data-verdict=wrong]").waitFor();
    expect(await sheet.getByText(limits).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("[DASH-260] [DASH-261] an export is verified with the network cut, and a changed one turns red at its row", async () => {
    const { session } = await stage();
    const bundle = await fetchBundle(dashboard.broker.url, session.slug);
    const changed = await withChange(bundle, "feed.ndjson", (text) =>
      text.replace("takes both", "takes none"),
    );
    const { page, problems, findBarriers } = await dashboard.open("/verify");
    await page.getByText("Ready. No network is needed from here on.").waitFor();
    expect(await findBarriers()).toEqual([]);
    // Every page prefetches the palette when idle. Opening the palette here ensures that the prefetching has ended
    // before the network is cut.
    await openPalette(page);
    await page.keyboard.press("Escape");
    const asked = await cutOff(page);

    await choose(page, bundle);
    await page.getByText(/^5 of 5 messages match the signed root/).waitFor();
    await page.getByText(limits).waitFor();
    await page.getByText("known to this browser").waitFor();
    await page.getByRole("button", { name: "Verify another" }).press("Enter");

    await choose(page, changed);
    const alert = page.getByRole("main").getByRole("alert");
    await alert.getByText(/^The text of message 3\b/).waitFor();
    await alert.getByText("Ask the sender for the original export.").waitFor();
    const wrong = page.locator("tr[data-wrong]");
    expect(await wrong.getByRole("rowheader").allInnerTexts()).toEqual(["#3"]);
    await wrong.getByText("The gateway takes none.").waitFor();
    expect(await page.getByText(limits).count()).toBe(0);
    expect(await findBarriers()).toEqual([]);
    // Every page prefetches linked pages, so requests for them are ignored. Checking a record itself sends no
    // requests.
    expect(asked.filter((url) => /\/(?:_next|api|\.well-known)\//.test(url))).toEqual([]);
    expect(problems.filter((each) => !/net::ERR_(?:FAILED|INTERNET_DISCONNECTED)/.test(each))).toEqual([]);
  });

  it("[DASH-261] [VERIFY-12] the report says what is proved and by which key, what format 1 leaves unproven, and where a forgery shows", {
    tags: "long",
  }, async () => {
    const { page, problems, findBarriers } = await dashboard.open("/verify");
    await page.getByText("Ready. No network is needed from here on.").waitFor();
    const facts = page.getByRole("region", { name: "Record" });
    const report = async (texts: BundleTexts) => {
      const again = page.getByRole("button", { name: "Verify another" });
      if (await again.isVisible()) await again.click();
      await choose(page, toFile("record.zip", await zipTexts(texts)));
      await facts.waitFor();
      expect(await findBarriers()).toEqual([]);
    };
    const signer = makeKey();
    const genuine = makeBundle({ messages: 12, sealedAt: 9, keys: [signer] });

    await report(genuine.texts);
    const unsure = page.locator("[data-verdict=unsure]");
    await unsure.getByText(/^12 of 12 messages match the signed root/).waitFor();
    await facts.getByRole("heading", { name: "Auth refactor" }).waitFor();
    await facts.getByText("Hashes", { exact: true }).click();
    await facts.getByText(signer.key.key_id).waitFor();
    await facts.getByText("not seen by this browser before").waitFor();
    await facts.getByText("12 messages, 1 removed, 1 private").waitFor();
    expect(await page.getByText("Not proven").count()).toBe(0);
    await unsure.getByRole("button", { name: "I compared it. Remember this key" }).click();
    await report(genuine.texts);
    await page.locator("[data-verdict=holds]").waitFor();
    await facts.getByText("known to this browser").waitFor();

    // In format 1 the title is not proven: the signer of the export, or anyone else, may have written it.
    const first = makeBundle({ messages: 12, sealedAt: 9, format: 1 });
    await report(first.texts);
    await unsure.getByText("Not proven: Format 1: no head covers the title").waitFor();
    const stranger = makeKey();
    const { head, session } = JSON.parse(first.texts.get("manifest.json") ?? "");
    first.texts.set("keys.json", `${JSON.stringify([first.key.key, stranger.key])}\n`);
    const forgedSession = { ...session, title: "What never was" };
    signManifest(first.texts, { session: forgedSession, head, key: stranger, version: 1 });
    await report(first.texts);
    await unsure.getByText(/Not proven: .*no trusted key has signed the title/).waitFor();
    expect(await page.getByText("What never was").count()).toBe(0);

    // In format 2 the same forgery is detected, because a key that someone adds to the export is not trusted.
    const forged = makeBundle({ messages: 12, sealedAt: 9, keys: [signer] });
    const manifest = JSON.parse(forged.texts.get("manifest.json") ?? "");
    forged.texts.set("keys.json", `${JSON.stringify([signer.key, stranger.key])}\n`);
    signManifest(forged.texts, {
      session: { ...manifest.session, title: "What never was" },
      head: manifest.head,
      key: stranger,
    });
    await report(forged.texts);
    const alert = page.getByRole("main").getByRole("alert");
    await alert.getByText("In manifest.json.").waitFor();
    expect(await alert.getAttribute("data-verdict")).toBe("wrong");
    expect(await page.getByText("What never was").count()).toBe(0);
    const cut = makeBundle({ messages: 12, sealedAt: 9, keys: [signer] });
    cut.texts.set("document.md", "# Something else\n");
    await report(cut.texts);
    await alert.getByText("In document.md.").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-262] a pasted proof is checked, and what is none says why", async () => {
    const { session } = await stage();
    const proof = await dashboard.rest.call("session_proof", {
      session_id: session.sessionId,
      sequence: 3,
      size: 4,
    });
    const { page, problems } = await dashboard.open("/verify?what=proof", phone);
    await page.getByText("Ready. No network is needed from here on.").waitFor();
    await paste(page, JSON.stringify(proof));
    await page.getByText(/^Message 3 leads to root .*, computed here\.$/).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    await page.getByRole("button", { name: "Verify another" }).click();

    const { inclusion } = proof;
    await paste(
      page,
      JSON.stringify({
        ...proof,
        inclusion: { ...inclusion, entry: { ...inclusion?.entry, to: ["Cedar"] } },
      }),
    );
    await page.getByText("The entry doesn't match its leaf.").waitFor();
    await page.getByRole("button", { name: "Verify another" }).click();
    await paste(page, "{}");
    await page.getByText("Proof cannot be verified.").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-263] a later head that does not go on from the one that this browser saw is said loudly, until it is believed", async () => {
    const { path } = await stage();
    const { page, problems } = await dashboard.open(`${path}/audit`);
    await page.waitForFunction(() => localStorage.getItem("merkle.seen-heads")?.includes('"root"'));
    await page.reload();
    await page.getByText(/^Sealed by/).waitFor();
    await page.evaluate(() => {
      const kept = localStorage.getItem("merkle.seen-heads") ?? "";
      localStorage.setItem(
        "merkle.seen-heads",
        kept.replaceAll(/"root":"[0-9a-f]{64}"/g, `"root":"${"a".repeat(64)}"`),
      );
    });
    await page.reload();
    const banner = page.getByRole("alert", { name: "Record changed" });
    await banner.getByText("This is not the record this browser saw before.").waitFor();
    await banner.getByRole("button", { name: "Trust the broker…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Trust the broker" }).click();
    await banner.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("[DASH-332] a concluded session has a last page: what was concluded and decided, by whom, and the seal", async () => {
    const session = await createTestSession(dashboard.rest, "Split the auth service");
    const at = { session_id: session.sessionId, team_id: session.convener };
    await dashboard.rest.call("post_message", { ...at, content: { text: "v1 stays", kind: "decision" } });
    const open = async () => dashboard.open(`/sessions/${session.slug}/conclusion`);
    const early = await open();
    await early.page.getByText("This session is still open").first().waitFor();
    await dashboard.rest.call("conclude_session", { ...at, summary_section: "Tokens rotate in March." });
    const { page, problems, findBarriers } = await open();
    await page.getByRole("heading", { level: 1, name: "Split the auth service" }).waitFor();
    const part = (name: string) => page.getByRole("region", { name });
    await part("Conclusion").getByText("Tokens rotate in March.").waitFor();
    await part("Decision").getByText("v1 stays").waitFor();
    await part("Participants").getByText("1 message").waitFor();
    await part("Seal")
      .getByText(/^[0-9a-f]{8}/)
      .first()
      .waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[EXPORT-9] [DASH-331] an HTML export shows and verifies itself from a file, with no network, whatever was written in it, and a changed copy says so", async () => {
    const hostile =
      "</script><script>document.title='taken'</script> <!--<script> \u2028\u2029 ]]> <img src=x onerror=alert(1)>";
    const session = await createTestSession(
      dashboard.rest,
      `Title ${hostile.replace(/[\u2028\u2029]/g, "")}`,
    );
    const at = { session_id: session.sessionId, team_id: session.convener };
    const { credential } = await session.join("B</script>irch");
    await session.post(credential, `${hostile} ![](http://elsewhere.example/x.png)`);
    await dashboard.rest.call("post_message", { ...at, content: { text: hostile, kind: "decision" } });
    await dashboard.rest.call("conclude_session", { ...at, summary_section: `Settled. ${hostile}` });
    const html = await fetchPage(session.slug);
    expect(html).not.toMatch(/taken|elsewhere|onerror=alert/);

    const folder = await mkdtemp(join(tmpdir(), "merkle-page-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const open = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return dashboard.open(pathToFileURL(join(folder, name)).href, {
        before: (page) => page.context().setOffline(true),
      });
    };
    const whole = await open("whole.html", html);
    await whole.page.getByText(/^4 of 4 messages match the signed root/).waitFor();
    await whole.page.getByText(limits).waitFor();
    await whole.page.getByText("not seen by this browser before").waitFor();
    expect(await whole.page.getByRole("heading", { level: 1 }).textContent()).toContain("Title </script>");
    await whole.page
      .getByRole("region", { name: "Conclusion" })
      .getByText("Settled.", { exact: false })
      .waitFor();
    expect(await whole.page.title()).toContain("Title </script>");
    expect(await whole.page.locator("img").count()).toBe(0);
    expect(await whole.findBarriers()).toEqual([]);
    expect(whole.problems).toEqual([]);

    const zip = toFile("x.zip", Buffer.from(recordOf(html), "base64"));
    const changed = await withChange(zip, "feed.ndjson", (text) => text.replace("irch", "eech"));
    const tampered = await open(
      "tampered.html",
      html.replace(recordOf(html), () => changed.buffer.toString("base64")),
    );
    await tampered.page.getByRole("alert").getByText("Ask the sender for the original export.").waitFor();
    expect(await tampered.page.getByText("Settled.").count()).toBe(0);
    const cut = await open(
      "cut.html",
      html.replace(recordOf(html), (whole) => whole.slice(0, -400)),
    );
    await cut.page.getByRole("alert").getByText("This file cannot be verified.").waitFor();
    expect([...tampered.problems, ...cut.problems]).toEqual([]);

    const { page } = await dashboard.open("/verify");
    await page.getByText("Ready. No network is needed from here on.").waitFor();
    await choose(page, { ...toFile("whole.html", Buffer.from(html)), mimeType: "text/html" });
    await page.getByText(/^4 of 4 messages match the signed root/).waitFor();
  });

  it("[VERIFY-15] a forged page around a record that holds is called not Merkle's, and the exported page is not", async () => {
    const { session } = await stage();
    const html = await fetchPage(session.slug);
    const { page, problems } = await dashboard.open("/verify");
    await page.getByText("Ready. No network is needed from here on.").waitFor();
    const warning = page.getByText("The record is intact, but the page around it is not Merkle’s.");
    const chooseHtml = (text: string) =>
      choose(page, { ...toFile("page.html", Buffer.from(text)), mimeType: "text/html" });
    await chooseHtml(html);
    await page.getByText(/^5 of 5 messages match the signed root/).waitFor();
    expect(await warning.count()).toBe(0);
    await page.getByRole("button", { name: "Verify another" }).click();
    await chooseHtml(html.replace('<div id="page"></div>', "<p>Birch: I owe Atlas 1,000,000.</p>"));
    await page.getByText(/^5 of 5 messages match the signed root/).waitFor();
    await warning.waitFor();
    expect(problems).toEqual([]);
  });

  async function fetchPage(slug: string): Promise<string> {
    const response = await fetch(`${dashboard.broker.url}/api/sessions/${slug}/export?as=html`);
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${slug}.html"`);
    return response.text();
  }

  /** Changes a message directly in the database, without the broker's knowledge. */
  async function rewrite(sessionId: string, sequence: number, text: string): Promise<void> {
    const sql = connectTestDatabase(dashboard.broker.databaseUrl);
    await sql.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      await tx`UPDATE messages SET content = ${JSON.stringify({ text })} WHERE session_id = ${sessionId} AND sequence = ${sequence}`;
    });
  }
});

/** Returns the record of an HTML export, in base64. */
function recordOf(html: string): string {
  return html.match(/<script id="record" type="application\/zip;base64">([^<]*)</)?.[1] ?? "";
}

/** Blocks all network access. Returns the list of attempted HTTP requests. */
async function cutOff(page: Page): Promise<string[]> {
  const asked: string[] = [];
  await page.context().setOffline(true);
  await page.route("**/*", (route) => {
    asked.push(route.request().url());
    return route.abort();
  });
  return asked;
}

async function choose(page: Page, file: Awaited<ReturnType<typeof fetchBundle>>): Promise<void> {
  await page.getByLabel("Export file").setInputFiles(file);
}

async function paste(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Proof" }).fill(text);
  await page.getByRole("button", { name: "Verify", exact: true }).click();
}
