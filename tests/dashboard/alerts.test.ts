import type { CDPSession, Worker } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { respondWith, startAlertReceiver } from "../kit/alert-receiver.js";
import { findWholeChromium, launchWholeChromium } from "../kit/chromium.js";
import { findFirefox, startFirefox } from "../kit/firefox.js";
import { openPage } from "../kit/open-page.js";
import { changeSettings } from "../kit/persons.js";
import { startPushService } from "../kit/push-service.js";
import { createTestSession } from "../kit/session.js";
import { desktop, phone, testDashboard } from "./open-dashboard.js";
import { isLive } from "./open-palette.js";

const dashboard = testDashboard();
const whole = findWholeChromium();
const firefox = findFirefox();

describe("being told elsewhere", { tags: "chromium" }, () => {
  it("[DASH-308] [ALERT-1] [ALERT-5] a place is added, tried, changed and removed by keys alone, with what the test answered", {
    tags: "long",
  }, async () => {
    const receiver = await startAlertReceiver(onTestFinished);
    await changeSettings(dashboard.rest, { settings: { alert_inner_addresses: true } });
    const { page, problems, findBarriers } = await dashboard.open("/settings#alerts", {
      as: await dashboard.newPerson(),
    });
    const press = async (name: string) => {
      await page.getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
    };
    await press("Add a destination…");
    const dialog = page.getByRole("dialog", { name: "Add a destination" });
    await dialog.getByRole("textbox", { name: "Address" }).focus();
    await page.keyboard.type(`${receiver.url}/my-topic`);
    await dialog.getByRole("textbox", { name: "Name", exact: true }).focus();
    await page.keyboard.type("Phone");
    await dialog.getByRole("checkbox", { name: "Quiet hours" }).focus();
    await page.keyboard.press("Space");
    await dialog.getByLabel("Until", { exact: true }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).focus();
    await page.keyboard.press("Enter");
    const row = page.getByRole("list", { name: "Destinations" }).getByRole("listitem");
    await row.getByText(/Ask, Blocked · quiet 22:00 to 07:00/).waitFor();

    await press("Test Phone");
    await row.getByText("Test delivered. The server answered 204.").waitFor();
    expect(receiver.received.map(({ body }) => JSON.parse(body.toString()))).toMatchObject([
      { topic: "my-topic", title: "Merkle" },
    ]);
    receiver.answer = respondWith(403);
    await press("Test Phone");
    await row.getByText("Test not delivered. The server answered 403.").waitFor();
    await press("Edit Phone");
    await page.getByRole("dialog").getByRole("checkbox", { name: "A session is concluded" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).focus();
    await page.keyboard.press("Enter");
    await row.getByText(/Ask, Blocked, Concluded/).waitFor();
    expect(await findBarriers()).toEqual([]);
    await press("Remove Phone");
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("No destinations yet. You're only notified while Merkle is open.").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-309] [ALERT-8] with all pages closed a push is shown once, and leads to the item on a phone; its worker can call nobody", {
    tags: "whole-chromium",
  }, async () => {
    const { url } = dashboard.broker;
    const browser = await launchWholeChromium(whole ?? "");
    onTestFinished(() => browser.close());
    const options = { ...phone, permissions: ["notifications"] };
    // Uses a separate profile, because this browser context stays open after its page is closed.
    const { page, problems } = await openPage(browser, `${url}/settings`, options, async () => undefined);
    const context = page.context();
    const started = context.waitForEvent("serviceworker");
    await page.evaluate("navigator.serviceWorker.register('/push-worker.js')");
    const worker = await started;
    await page.evaluate("navigator.serviceWorker.ready");
    const blank = await context.newPage();
    const devtools = await context.newCDPSession(blank);
    const registrationId = await findRegistration(devtools, url);
    await isLive(page);
    await page.close();

    const path = "/sessions/split-auth?m=2";
    const told = { id: "ask:1:2", title: "Split auth", body: "Cedar asks: “Which key?”", path };
    const push = async (data: object) => {
      await devtools.send("ServiceWorker.deliverPushMessage", {
        origin: url,
        registrationId,
        data: JSON.stringify(data),
      });
    };
    // A push service retries a push that a busy browser dropped. The retry must not show a second notification.
    const pushed = async () => {
      await push(told);
      return shownBy(worker);
    };
    await expect
      .poll(pushed, { interval: 1_000 })
      .toEqual([{ title: "Split auth", body: told.body, tag: "ask:1:2", data: { path } }]);
    await push({ ...told, body: "It came twice." });
    await expect.poll(() => shownBy(worker)).toMatchObject([{ body: "It came twice." }]);

    expect(await openedBy(worker, path)).toEqual([`${url}${path}`]);
    expect(await openedBy(worker, "https://elsewhere.example/")).toEqual([]);
    expect(await worker.evaluate(`fetch("/health").then(() => "called", () => "refused")`)).toBe("refused");
    expect(problems).toEqual([]);
  });

  it("[DASH-309] [ALERT-2] Firefox is told by its push service with no page of ours open, and opens what was encrypted for it", {
    // On a busy machine, Firefox takes a minute to start.
    tags: ["long", "firefox"],
  }, async () => {
    const { rest, broker } = dashboard;
    await changeSettings(rest, { settings: { alert_inner_addresses: true } });
    const service = await startPushService(onTestFinished);
    const browser = await startFirefox({ program: firefox ?? "", pushUrl: service.url }, onTestFinished);
    const credential = await dashboard.newPerson();
    const person = { id: credential.split(".")[0], name: "Ana", credential, verified: true };
    const page = await browser.open(`${broker.url}/verify`);
    await page.evaluate(`localStorage.setItem("merkle.person", ${JSON.stringify(JSON.stringify(person))})`);
    await page.go(`${broker.url}/settings#alerts`);
    const press = (name: string, within = "main") =>
      expect
        .poll(
          () =>
            page.evaluate(`(() => {
                const found = [...document.querySelectorAll("${within} button")].findLast(({ textContent }) => textContent === ${JSON.stringify(name)});
                if (found && !found.disabled) found.click();
                return found !== undefined && !found.disabled;
              })()`),
          { timeout: 120_000 },
        )
        .toBe(true);
    await press("Enable push in this browser…");
    await press("Save", ":is(dialog, [role=dialog])");
    await expect
      .poll(async () => (await rest.call("list_alert_targets", { team_id: credential })).targets, {
        timeout: 120_000,
      })
      .toMatchObject([{ kind: "push" }]);
    await page.close();

    const session = await createTestSession(rest, "Split the auth service");
    const { cursor } = await rest.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text: "Which key?", kind: "ask" },
    });
    // Firefox acknowledges a push with 100 once its worker has shown the notification without an error.
    await expect.poll(() => service.acknowledged).toEqual([100]);
    const again = await browser.open(`${broker.url}/verify`);
    const shown = `navigator.serviceWorker.ready
        .then((registration) => registration.getNotifications())
        .then((all) => all.map(({ title, body, data }) => ({ title, body, data })))`;
    await expect
      .poll(() => again.evaluate(shown))
      .toEqual([
        {
          title: "Split the auth service",
          body: "Atlas asks: “Which key?”",
          data: { path: `/sessions/${session.slug}?m=${cursor}` },
        },
      ]);
  });

  it("[DASH-310] [ATT-12] messages that reached nobody are listed in place of the sessions, each with the way to it", async () => {
    const { rest } = dashboard;
    const session = await createTestSession(rest, "Split the auth service");
    await rest.call("join_session", { session_id: session.sessionId, team_name: "Birch" });
    const { cursor } = await session.post(session.convener, "Is anybody there?");
    await changeSettings(rest, { settings: { undelivered_after_s: 1 } });
    const as = await dashboard.newPerson();
    await expect
      .poll(async () => (await rest.call("list_undelivered", { session: session.slug })).total, {
        timeout: 120_000,
      })
      .toBe(1);
    const { page, problems, findBarriers } = await dashboard.open("/", { ...desktop, as });
    await page.getByRole("link", { name: "Undelivered" }).first().focus();
    await page.keyboard.press("Enter");
    const link = page.getByRole("list", { name: "Undelivered messages" }).getByRole("link");
    await expect.poll(() => link.getAttribute("href")).toBe(`/sessions/${session.slug}?m=${cursor}`);
    expect(await link.textContent()).toBe("Is anybody there?");
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("link", { name: "All sessions" }).focus();
    await page.keyboard.press("Enter");
    await page
      .getByRole("group", { name: "Show sessions" })
      .or(page.getByText("Show sessions"))
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  });
});

/** Resolves with the id of this origin's service worker registration, once the browser reports it. */
function findRegistration(devtools: CDPSession, origin: string): Promise<string> {
  return new Promise((resolve, reject) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const found = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
      if (found) resolve(found.registrationId);
    });
    devtools.send("ServiceWorker.enable").catch(reject);
  });
}

function shownBy(worker: Worker): Promise<unknown> {
  return worker.evaluate(`self.registration.getNotifications().then((shown) =>
    shown.map(({ title, body, tag, data }) => ({ title, body, tag, data })))`);
}

/**
 * Returns the URLs that a click on a notification opens. The browser allows `openWindow` only after a real click, so
 * the test first replaces that function.
 */
function openedBy(worker: Worker, path: string): Promise<unknown> {
  return worker.evaluate(`(async () => {
    const opened = [];
    self.clients.openWindow = async (url) => void opened.push(url);
    await self.registration.showNotification("Pressed", { tag: "pressed", data: { path: ${JSON.stringify(path)} } });
    const [notification] = await self.registration.getNotifications({ tag: "pressed" });
    const waits = [];
    const event = new NotificationEvent("notificationclick", { notification });
    event.waitUntil = (work) => void waits.push(work);
    self.dispatchEvent(event);
    await Promise.all(waits);
    return opened;
  })()`);
}
