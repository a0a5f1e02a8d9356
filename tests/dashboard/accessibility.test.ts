import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner } from "../kit/fake-runner.js";
import { brokerTransports } from "../kit/transports.js";
import { guide, stageRepository } from "../sources/staged-repository.js";
import { openInspector } from "./inspect-page.js";
import { testDashboard } from "./open-dashboard.js";
import { type StagedMesh, stageMesh } from "./staged-mesh.js";

const fake = createFakeRunner();
const at = await stageRepository(createCleanup());
const roots = { docs: at.folder, gone: `${at.top}/nowhere` };
const dashboard = testDashboard({ agent: { ...fake.agent, roots } });
const dialog = "dialog[open]";
const popover = "[data-slot=popover-content]";

describe("the dashboard for everybody", { tags: "chromium" }, () => {
  let staged: Promise<StagedMesh> | undefined;
  /**
   * Created by the first test that needs a mesh, because the test for the empty index must run before any mesh
   * exists.
   */
  const mesh = () => (staged ??= stageMesh(dashboard.rest));

  /**
   * Opens a page and returns functions to inspect it in several states. `found` collects the problems from all states.
   */
  async function openToInspect(path: string, { isKnown = true } = {}) {
    const as = isKnown ? { as: await dashboard.newPerson("Ana") } : {};
    const { page } = await dashboard.open(path, { reducedMotion: "reduce", ...as });
    const inspector = await openInspector(page);
    const found: string[] = [];
    return {
      page,
      found,
      async inspect(shown: Locator, part?: string) {
        await shown.first().waitFor();
        found.push(...(await inspector.inspect(part)));
      },
      go: (to: string) => page.goto(`${dashboard.broker.url}${to}`),
    };
  }

  it("[DASH-200] [DASH-201] [DASH-202] [DASH-203] the pages around the sessions, empty and full, and what opens over them", {
    tags: "long",
  }, async () => {
    const { page, found, inspect } = await openToInspect("/", { isKnown: false });
    await inspect(
      page.getByRole("heading", { name: "Start your first session" }).or(page.getByText("merkle launch")),
    );
    await mesh();
    await inspect(page.getByText("needs the staging key"));
    await page.getByRole("button", { name: "New session" }).click();
    await inspect(page.getByRole("dialog").getByRole("textbox", { name: "Title" }), dialog);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await inspect(page.getByRole("dialog", { name: "Keyboard shortcuts" }), dialog);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Command menu" }).getByRole("combobox").fill("staging");
    await inspect(page.getByRole("option", { name: /Which staging key/ }), dialog);
    expect(found).toEqual([]);
  });

  it("[DASH-200] [DASH-201] [DASH-202] [DASH-203] the pages of the mesh: closed sessions, search, memory, settings, none", {
    tags: "long",
  }, async () => {
    await mesh();
    const { page, found, inspect, go } = await openToInspect("/?state=closed");
    await inspect(page.getByText("Ranking moves to the index."));
    await go("/search?q=staging");
    await inspect(page.getByText("Which staging key?"));
    await go("/memory");
    await inspect(page.getByText(/The payments API limits/));
    await page.getByRole("button", { name: "Remember" }).click();
    await inspect(page.locator(dialog), dialog);
    await go("/progress");
    await page.getByRole("button", { name: "Moved the issuer tables" }).click();
    await inspect(page.getByText("before the gateway moves"));
    await page.getByRole("button", { name: "Log progress" }).click();
    await inspect(page.locator(dialog), dialog);
    await go("/progress?view=thoughts");
    await page.getByRole("button", { name: "Where tokens are kept" }).click();
    await page.getByRole("button", { name: /^Check in this browser/ }).click();
    await inspect(page.getByText("Its hash, computed in this browser"));
    await go("/needs-you");
    await inspect(page.getByRole("region", { name: "Detail" }).getByText(/needs the staging key/));
    for (const wall of ["", "?wall=1"]) {
      await go(`/agents${wall}`);
      // After a minute most of the thirty teams are away. The rest may be few enough for a map instead of a list.
      const picture = page
        .getByRole("list", { name: "Agents by session" })
        .or(page.getByRole("group", { name: "Map of the agents" }));
      await inspect(picture.getByRole("link").first());
    }
    for (const [part, title] of [
      ["me", "Appearance"],
      ["notifications", "Push and webhooks"],
      ["people", "Meshes"],
      ["agents", "Agents' address"],
      ["broker", "Health"],
    ] as const) {
      await go(`/settings?part=${part}`);
      await inspect(page.getByRole("heading", { name: title, exact: true }));
    }
    await go("/nowhere");
    await inspect(page.getByRole("heading", { name: "Page not found" }));
    expect(found).toEqual([]);
  });

  it("[DASH-200] [DASH-201] [DASH-202] [DASH-203] a session of thirty teams and long texts, and what opens over it", {
    tags: "long",
  }, async () => {
    const { busy } = await mesh();
    const { page, found, inspect, go } = await openToInspect(`/sessions/${busy}`);
    await inspect(page.getByText("I look at it."));
    for (const opener of [
      page.getByRole("button", { name: /^More about message/ }).last(),
      page.getByRole("region", { name: "Participants" }).getByRole("button", { name: /Cedar/ }),
    ]) {
      await opener.click();
      await inspect(page.locator(popover), popover);
      await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: "All participants" }).click();
    await inspect(page.locator(dialog), dialog);
    await page.keyboard.press("Escape");
    await go(`/sessions/${busy}?at=${new Date().toISOString()}`);
    await inspect(page.getByRole("button", { name: "Back to live" }));
    expect(found).toEqual([]);
  });

  it("[DASH-200] [DASH-201] [DASH-202] [DASH-203] a session that is held, closed, or only begun, with its dialogs", async () => {
    const { held, closed, empty } = await mesh();
    const { page, found, inspect, go } = await openToInspect(`/sessions/${held}`);
    await inspect(page.getByText(/Wait for legal/));
    await go(`/sessions/${closed}`);
    await inspect(page.getByRole("region", { name: "Conclusion" }));
    await go(`/sessions/${empty}`);
    await inspect(page.getByText("No messages yet"));
    for (const name of ["Hold", "Conclude"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await inspect(page.locator(dialog), dialog);
      await page.keyboard.press("Escape");
    }
    for (const name of ["Budgets…", "Edit title and description…"]) {
      await page.getByRole("button", { name: "More about this session" }).click();
      if (name.startsWith("Message")) await inspect(page.locator(popover), popover);
      await page.getByRole("button", { name }).click();
      await inspect(page.locator(dialog), dialog);
      await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: "Kind and priority" }).click();
    await inspect(page.locator(popover), popover);
    await page.keyboard.press("Escape");
    await page.getByRole("textbox", { name: "Message" }).fill("@");
    await inspect(page.getByRole("listbox"), "form");
    expect(found).toEqual([]);
  });

  it("[DASH-200] [DASH-201] [DASH-202] [DASH-203] the document, its history and its differences, state and memory", {
    tags: "long",
  }, async () => {
    const { busy } = await mesh();
    const { page, found, inspect, go } = await openToInspect(`/sessions/${busy}/doc`);
    await inspect(page.getByRole("heading", { name: "Decisions" }));
    await go(`/sessions/${busy}/doc?doc=history`);
    await inspect(page.getByRole("list", { name: "Versions" }).getByRole("listitem").nth(2));
    await go(`/sessions/${busy}/doc?compare=1..3`);
    await inspect(page.getByText("Keep v3."));
    await go(`/sessions/${busy}/doc?edit=1`);
    await page.getByRole("textbox", { name: /^Document/ }).fill("# Plan of my own");
    const { session_id } = await dashboard.rest.call("get_session", { session_id: busy });
    await write(session_id, "# Plan of another");
    await inspect(page.getByText(/You’re editing v/));
    await page.getByRole("button", { name: "Save" }).click();
    await inspect(page.getByRole("region", { name: "Resolve conflict" }));
    await go(`/sessions/${busy}/state`);
    await inspect(page.getByText("frozen"));
    await page.getByRole("button", { name: /^Edit/ }).first().click();
    await inspect(page.locator(dialog), dialog);
    await go(`/sessions/${busy}/memory`);
    await inspect(page.getByText(/The payments API limits/));
    await go(`/sessions/${busy}/progress`);
    await inspect(page.getByRole("button", { name: "Moved the issuer tables" }));
    expect(found).toEqual([]);
  });

  it("[DASH-200] [DASH-201] [DASH-202] [DASH-203] the files, and one with comments, a proposal, jobs and readings", {
    tags: "long",
  }, async () => {
    const source_path = "docs/docs/guide.md";
    const team_id = await dashboard.newPerson("Ben");
    const { source_sha: base_sha } = await dashboard.rest.call("read_source", { source_path });
    const said = { source_path, source_sha: base_sha, quote: "Tokens live", text: "For how long?", team_id };
    const { topic_id } = await dashboard.rest.call("open_topic", said);
    await dashboard.rest.call("open_topic", { ...said, quote: "They rotate.", text: "Who does?" });
    const content = guide.replace("an hour", "a day").replace("rotate", "rotate daily");
    const { proposal_id } = await dashboard.rest.call("insert_proposal", {
      topic_id,
      base_sha,
      content,
      team_id,
    });
    await dashboard.rest.call("start_job", {
      kind: "perspective",
      source_path,
      persona_name: "Sceptic",
      team_id,
    });
    const run = await fake.next();
    const agent = await brokerTransports.rest(dashboard.broker.url, { token: run.job.credential });
    const { "Source SHA": source_sha = "", "Persona SHA": persona_sha = "" } = run.job.parameters;
    await agent.call("put_perspective", { source_sha, persona_sha, content: "Why **an hour**?" });
    run.end({ exit_code: 3, error_tail: "no licence" });

    const { page, found, inspect, go } = await openToInspect("/sources");
    await inspect(page.getByText("1 proposal"));
    await go("/sources?q=nowhere-near");
    await inspect(page.getByText("No files with"));
    const file = `/sources?file=${source_path}`;
    await go(file);
    await inspect(page.getByRole("button", { name: `Review proposal ${proposal_id}` }));
    await go(`${file}&topic=list`);
    await inspect(page.getByRole("button", { name: "Comment on the whole file" }));
    await go(`${file}&proposal=${proposal_id}`);
    await inspect(page.getByRole("button", { name: "Accept", exact: true }));
    await go(`${file}&jobs=1`);
    await inspect(page.getByText("Read the file as"));
    await go(`${file}&perspective=Sceptic`);
    await inspect(page.getByRole("article", { name: "Perspective of Sceptic" }));
    await go("/sources?file=docs/nothing.md");
    await inspect(page.getByText("There is no file with this path in Git."));
    await at.write("docs/guide.md", "# Another guide\n");
    await go(file);
    await inspect(page.getByText("This file has uncommitted changes"));
    expect(found).toEqual([]);
  });

  async function write(session_id: string, content: string): Promise<void> {
    const { team_id } = await dashboard.rest.call("join_session", { session_id, team_name: "Elm" });
    const { version } = await dashboard.rest.call("read_session_doc", { session_id });
    await dashboard.rest.call("update_session_doc", {
      session_id,
      team_id,
      content,
      expected_version: version,
    });
  }

  it("[DASH-204] [DASH-211] a page that is as low as at 400 % can be read and written in, and keeps its end", async () => {
    const { busy } = await mesh();
    const { page } = await dashboard.open(`/sessions/${busy}`);
    await page.getByText("I look at it.").waitFor();
    const feed = page.getByRole("feed");
    const heightOf = async () => (await feed.boundingBox())?.height ?? 0;
    const before = await heightOf();
    await page.setViewportSize({ width: 320, height: 200 });
    await expect.poll(heightOf).not.toBe(before);
    expect(await heightOf()).toBeGreaterThan(100);
    await expect
      .poll(() => feed.evaluate((shown) => shown.scrollHeight - shown.scrollTop - shown.clientHeight))
      .toBeLessThan(80);
    const field = page.getByRole("textbox", { name: "Message" });
    await field.scrollIntoViewIfNeeded();
    await expect.poll(() => isUnderPointer(field)).toBe(true);
  });

  it("[DASH-205] without motion a changed title is there at once, and only who changed it is said", async () => {
    const { empty } = await mesh();
    const { page } = await dashboard.open(`/sessions/${empty}`, { reducedMotion: "reduce" });
    await page.evaluate(`{
      window.moved = [];
      for (const kind of ["animationstart", "transitionrun"])
        addEventListener(kind, ({ target }) => {
          for (const { effect } of target.getAnimations())
            if (effect.getComputedTiming().activeDuration > 1) moved.push(target.outerHTML);
        }, true);
    }`);
    await page.getByText("No messages yet").waitFor();
    const { session_id } = await dashboard.rest.call("get_session", { session_id: empty });
    const { team_id } = await dashboard.rest.call("join_session", { session_id, team_name: "Birch" });
    await dashboard.rest.call("update_session_metadata", {
      session_id,
      team_id,
      title: "Nothing much said here yet",
      reason: "Birch came",
    });
    await page.getByRole("heading", { name: "Nothing much said here yet", exact: true }).waitFor();
    await page.getByText(/changed by Birch .*: Birch came/).waitFor();
    expect(await page.evaluate("moved")).toEqual([]);
  });

  it("[DASH-206] with colours of the reader's own, status, focus and what is chosen are still seen", {
    tags: "long",
  }, async () => {
    const { busy } = await mesh();
    const { page } = await dashboard.open(`/sessions/${busy}`, { forcedColors: "active" });
    await page.getByText("I look at it.").waitFor();
    const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    const mark = page.getByRole("region", { name: "Participants" }).locator("svg path, svg circle").first();
    const fills = [await styleOf(mark, "fill"), await styleOf(mark, "stroke")];
    expect(fills.some((fill) => fill !== "none" && fill !== background)).toBe(true);
    const tabs = page.getByRole("navigation", { name: "Parts of the session" });
    const live = tabs.getByRole("link", { name: "Live" });
    const state = tabs.getByRole("link", { name: "State" });
    expect(await styleOf(live, "borderBottomColor")).not.toBe(await styleOf(state, "borderBottomColor"));
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    expect(await styleOf(focused, "outlineStyle")).toBe("solid");
    expect(await styleOf(focused, "outlineColor")).not.toBe(background);
  });

  it("[DASH-200] [DASH-202] [DASH-203] a page whose broker is away", async () => {
    const { busy } = await mesh();
    const { page, found, inspect } = await openToInspect(`/sessions/${busy}`);
    await page.getByText("I look at it.").waitFor();
    await dashboard.broker.stop();
    await inspect(page.getByText(/^Reconnecting/));
    expect(found).toEqual([]);
  });
});

function isUnderPointer(element: Locator): Promise<boolean> {
  return element.evaluate((shown) => {
    const { left, top, width, height } = shown.getBoundingClientRect();
    const hit = shown.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
    return hit !== null && shown.contains(hit);
  });
}

function styleOf(
  element: Locator,
  property: "fill" | "stroke" | "outlineStyle" | "outlineColor" | "borderBottomColor",
): Promise<string> {
  return element.evaluate((shown, name) => getComputedStyle(shown)[name], property);
}
