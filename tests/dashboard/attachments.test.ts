import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession, type TestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

/** A PNG of one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

interface Sent {
  readonly name: string;
  readonly bytes: string | Buffer;
}

const shot = { name: "shot.png", bytes: png };
const log = { name: "build.log", bytes: "step 1\nstep 2 failed\n" };
const archive = { name: "all.bin", bytes: Buffer.from([0, 1, 2]) };

describe("files of messages", { tags: "chromium" }, () => {
  /** Posts a message with files as the session's convener. */
  async function post(session: TestSession, text: string, files: readonly Sent[]): Promise<number> {
    const attachments = [];
    for (const { name, bytes } of files) {
      const response = await fetch(
        `${dashboard.broker.url}/api/sessions/${session.sessionId}/files?name=${encodeURIComponent(name)}`,
        {
          method: "PUT",
          headers: { "x-team-id": session.convener },
          body: new Uint8Array(Buffer.from(bytes)),
        },
      );
      attachments.push(await response.json());
    }
    const { cursor } = await dashboard.rest.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text, attachments },
    });
    return cursor;
  }

  async function readLastContent(session: TestSession) {
    const { messages } = await dashboard.rest.call("get_history", { session_id: session.sessionId });
    return messages.at(-1)?.content;
  }

  /** Pastes or drops a file on the field, as a browser reports it. */
  function transfer(page: Page, kind: "paste" | "drop", { name, bytes }: Sent): Promise<void> {
    const given = { kind, name, bytes: [...Buffer.from(bytes)] };
    return page.getByRole("textbox", { name: "Message" }).evaluate((field, { kind, name, bytes }) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], name));
      const init = { bubbles: true, cancelable: true };
      const event =
        kind === "paste"
          ? new ClipboardEvent("paste", { ...init, clipboardData: data })
          : new DragEvent("drop", { ...init, dataTransfer: data });
      field.dispatchEvent(event);
    }, given);
  }

  it("[DASH-407] images are tiles and other files are lines, and nothing moves when they have loaded", async () => {
    const session = await createTestSession(dashboard.rest);
    const number = await post(session, "It fails.", [shot, log, archive]);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { page, problems, findBarriers } = await dashboard.open(`/sessions/${session.slug}`, {
      before: (page) =>
        page.route("**/messages/*/files/*", async (route) => {
          await released;
          await route.continue();
        }),
    });
    const row = page.getByRole("article", { name: `Message ${number} from Atlas` });
    const tile = row.getByRole("list", { name: "Images" }).getByRole("button", { name: "shot.png" });
    await tile.waitFor();
    const before = await row.boundingBox();
    expect(await tile.locator("img").count()).toBe(0);
    release();
    await tile.locator("img").waitFor();
    expect(await row.boundingBox()).toEqual(before);
    const lines = row.getByRole("list", { name: "Files" }).getByRole("listitem");
    expect(await lines.allInnerTexts()).toEqual([
      expect.stringMatching(/^build\.log\s+21 bytes/),
      expect.stringMatching(/^all\.bin\s+3 bytes/),
    ]);
    const saving = page.waitForEvent("download");
    await row.getByRole("button", { name: "Download all.bin" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("all.bin");
    expect(await readFile(await saved.path())).toEqual(archive.bytes);
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-408] an image or a text opens over the page, and the arrow keys show the others", async () => {
    const session = await createTestSession(dashboard.rest);
    await post(session, "It fails.", [shot, log, archive]);
    const { page, problems, findBarriers } = await dashboard.open(`/sessions/${session.slug}`);
    const tile = page.getByRole("article").getByRole("button", { name: "shot.png" });
    await tile.focus();
    await page.keyboard.press("Enter");
    const viewer = page.getByRole("dialog", { name: "shot.png" });
    await viewer.getByText("1 of 2").waitFor();
    await viewer.getByRole("img", { name: "shot.png" }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("ArrowRight");
    await page.getByRole("dialog", { name: "build.log" }).getByText("step 2 failed").waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("ArrowRight");
    await viewer.waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("dialog", { name: "build.log" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await tile.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(problems).toEqual([]);
  });

  it("[DASH-410] [DASH-411] files are chosen, pasted and dropped, can be removed, and go with the message", async () => {
    const session = await createTestSession(dashboard.rest);
    const { page, problems, findBarriers } = await dashboard.open(`/sessions/${session.slug}`, {
      as: await dashboard.newPerson(),
      ...phone,
    });
    const form = page.getByRole("form", { name: "Write a message" });
    const choosing = page.waitForEvent("filechooser");
    await form.getByRole("button", { name: "Attach files" }).click();
    await (await choosing).setFiles([
      { name: log.name, mimeType: "text/plain", buffer: Buffer.from(log.bytes) },
    ]);
    await transfer(page, "paste", shot);
    await transfer(page, "drop", archive);
    const attached = form.getByRole("list", { name: "Attached files" }).getByRole("listitem");
    await expect
      .poll(() => attached.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^build\.log\s+21 bytes/),
        expect.stringMatching(/^shot\.png\s+70 bytes/),
        expect.stringMatching(/^all\.bin\s+3 bytes/),
      ]);
    expect(await findBarriers()).toEqual([]);
    await page.reload();
    await expect.poll(() => attached.count(), { message: "a draft keeps its files" }).toBe(3);
    await form.getByRole("button", { name: "Remove all.bin" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("See");
    await form.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => attached.count()).toBe(0);
    expect(await readLastContent(session)).toMatchObject({
      text: "See",
      attachments: [{ name: "build.log" }, { name: "shot.png", type: "image/png" }],
    });

    // A file needs no text: its name is the text. The same bytes are attached once.
    await transfer(page, "paste", shot);
    await transfer(page, "paste", { ...shot, name: "again.png" });
    await form.getByText("again.png is attached already, as shot.png.").waitFor();
    expect(await attached.count()).toBe(1);
    await page.getByRole("textbox", { name: "Message" }).press("Control+Enter");
    await expect.poll(() => readLastContent(session)).toMatchObject({ text: "shot.png" });
    expect(problems).toEqual([]);
  });

  it("[DASH-412] a file that is refused says why, and the message waits until it is removed", async () => {
    const session = await createTestSession(dashboard.rest);
    const { page, findBarriers } = await dashboard.open(`/sessions/${session.slug}`, {
      as: await dashboard.newPerson(),
      before: (page) =>
        page.route("**/files?name=refused.txt&*", (route) =>
          route.fulfill({
            status: 413,
            json: {
              error: {
                code: "payload_too_large",
                message: "This mesh has no room for more files.",
                details: {},
              },
            },
          }),
        ),
    });
    const form = page.getByRole("form", { name: "Write a message" });
    await form.getByRole("button", { name: "Attach files" }).waitFor();
    await transfer(page, "paste", { name: "refused.txt", bytes: "x" });
    await form.getByRole("alert").filter({ hasText: "This mesh has no room for more files." }).waitFor();
    const large = {
      name: "large.bin",
      mimeType: "application/octet-stream",
      buffer: Buffer.alloc(11_000_000),
    };
    await form.locator("input[type=file]").setInputFiles([large]);
    await form.getByText("Files can have up to 10.0 MB; this one has 11.0 MB.").waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("textbox", { name: "Message" }).fill("Without");
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("Remove refused.txt to send the message without it.").waitFor();
    await form.getByRole("button", { name: "Remove refused.txt" }).click();
    await form.getByRole("button", { name: "Remove large.bin" }).click();
    await form.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => readLastContent(session)).toEqual({ text: "Without" });
  });

  it("[DASH-414] an upload that broke off continues where it did", async () => {
    const session = await createTestSession(dashboard.rest);
    const text = "0123456789abcdef";
    const puts: (string | undefined)[] = [];
    const { page, findBarriers } = await dashboard.open(`/sessions/${session.slug}`, {
      as: await dashboard.newPerson(),
      before: (page) =>
        page.route("**/files?name=*", async (route) => {
          const request = route.request();
          const headers = await request.allHeaders();
          puts.push(headers["content-range"]);
          if (puts.length > 1) return route.continue();
          // The broker receives ten bytes, and the browser no answer.
          const start = await page.request.put(request.url(), {
            headers: { ...headers, "content-range": "bytes 0-9/16", "content-length": "10" },
            data: Buffer.from(text.slice(0, 10)),
          });
          expect(start.status()).toBe(202);
          return route.abort();
        }),
    });
    const form = page.getByRole("form", { name: "Write a message" });
    await form.getByRole("button", { name: "Attach files" }).waitFor();
    await transfer(page, "drop", { name: "C:\\logs\\a\nb.log", bytes: text });
    const retry = form.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    expect(await findBarriers()).toEqual([]);
    await retry.click();
    await form.getByRole("button", { name: "Remove a_b.log" }).waitFor();
    expect(puts).toEqual([undefined, "bytes */16", "bytes 10-15/16"]);
    await form.getByRole("button", { name: "Send" }).click();
    const digest = createHash("sha256").update(text).digest("hex");
    await expect
      .poll(() => readLastContent(session))
      .toMatchObject({ attachments: [{ name: "a_b.log", size: 16, digest }] });
  });

  it("[DASH-413] the session's menu lists all its files, to find by name, show, save and go to their messages", async () => {
    const session = await createTestSession(dashboard.rest);
    const first = await post(session, "It fails.", [log]);
    await post(session, "And looks so.", [shot, archive]);
    const { page, problems, findBarriers } = await dashboard.open(`/sessions/${session.slug}`);
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("button", { name: "Files…" }).click();
    await page.waitForURL("**?files=all");
    const sheet = page.getByRole("dialog", { name: "Files" });
    const rows = sheet.getByRole("list", { name: "Files of the session" }).getByRole("listitem");
    await expect.poll(() => rows.count()).toBe(3);
    expect(await findBarriers()).toEqual([]);
    await sheet.getByRole("searchbox", { name: "Find files by name" }).fill("LOG");
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([expect.stringMatching(/^build\.log\s+21 bytes · Atlas/)]);
    await rows.getByRole("button", { name: "build.log", exact: true }).click();
    await page.getByRole("dialog", { name: "build.log" }).getByText("step 2 failed").waitFor();
    await page.keyboard.press("Escape");
    await rows.getByRole("link", { name: `Message #${first}` }).click();
    await page.waitForURL(`**?m=${first}`);
    await sheet.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });
});
