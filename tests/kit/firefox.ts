import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import type { Cleanup } from "./test-database.js";

/** A headless Firefox, controlled through its built-in WebDriver BiDi support. */
export interface Firefox {
  /** Opens a page in a new tab. */
  open(url: string): Promise<FirefoxPage>;
  /** Errors from all pages, such as violations of the content security policy. */
  readonly problems: string[];
}

/** WebDriver codes of keys that are not letters. */
export const firefoxKeys = { enter: "\uE007", control: "\uE009" } as const;

export interface FirefoxPage {
  go(url: string): Promise<void>;
  /** Evaluates an expression, awaits its promise if it is one, and returns the result as JSON. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Presses keys one after another, as a person would, while keeping the `held` keys pressed. */
  press(keys: string, held?: string): Promise<void>;
  close(): Promise<void>;
}

export { findFirefox } from "./find-program.js";

/** @param pushUrl - URL of the push service (default: no push service) */
export async function startFirefox(
  { program, pushUrl = "" }: { readonly program: string; readonly pushUrl?: string },
  cleanup: Cleanup,
): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), "merkle-firefox-"));
  const preferences = {
    "dom.push.serverURL": pushUrl,
    "dom.push.testing.allowInsecureServerURL": true,
    // By default, a Firefox under automation does not connect to a push service.
    "dom.push.connection.enabled": true,
    "permissions.default.desktop-notification": 1,
    "dom.webnotifications.requireuserinteraction": false,
    // System notifications would need a desktop.
    "alerts.useSystemBackend": false,
    "network.captive-portal-service.enabled": false,
    "network.connectivity-service.enabled": false,
    "datareporting.policy.dataSubmissionEnabled": false,
    "app.update.enabled": false,
  };
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
  );
  await writeFile(join(profile, "user.js"), lines.join("\n"));
  const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
  const child = spawn(program, args, {
    env: { ...process.env, HOME: profile },
    stdio: ["ignore", "ignore", "pipe"],
  });
  cleanup(async () => {
    const ended = once(child, "exit");
    child.kill();
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });
  return drive(await findAddress(child.stderr), cleanup);
}

async function findAddress(stderr: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stderr });
    lines.on("line", (line) => {
      const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
      if (url) resolve(`${url}/session`);
    });
    lines.on("close", () => reject(new Error("Firefox ended before it could be driven.")));
  });
}

async function drive(url: string, cleanup: Cleanup): Promise<Firefox> {
  const connection = new WebSocket(url);
  cleanup(async () => connection.terminate());
  await once(connection, "open");
  const problems: string[] = [];
  const waiting = new Map<number, (reply: { readonly type: string; readonly result: unknown }) => void>();
  connection.on("message", (data) => {
    const reply = JSON.parse(String(data));
    if (reply.method === "log.entryAdded" && reply.params.level === "error") problems.push(reply.params.text);
    else waiting.get(reply.id)?.(reply);
  });
  let last = 0;
  const send = (method: string, params: object = {}) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      last += 1;
      waiting.set(last, (reply) => {
        if (reply.type === "success") resolve(Object(reply.result));
        else reject(new Error(`Firefox refused ${method}: ${JSON.stringify(reply)}`));
      });
      connection.send(JSON.stringify({ id: last, method, params }));
    });
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  return {
    problems,
    async open(first) {
      const { context } = await send("browsingContext.create", { type: "tab" });
      const go = async (url: string) =>
        void (await send("browsingContext.navigate", { context, url, wait: "complete" }));
      await go(first);
      return {
        go,
        async evaluate(expression) {
          const wrapped = `(async () => JSON.stringify((await (${expression})) ?? null))()`;
          const call = { expression: wrapped, target: { context }, awaitPromise: true };
          const { result, exceptionDetails } = await send("script.evaluate", call);
          if (exceptionDetails) throw new Error(String(Object(exceptionDetails).text));
          return JSON.parse(Object(result).value);
        },
        async press(keys, held) {
          const stroke = (value: string) => [
            { type: "keyDown", value },
            { type: "keyUp", value },
          ];
          const strokes = [...keys].flatMap(stroke);
          const [down, up] = held === undefined ? [] : stroke(held);
          const actions = down && up ? [down, ...strokes, up] : strokes;
          await send("input.performActions", { context, actions: [{ type: "key", id: "keys", actions }] });
        },
        close: async () => void (await send("browsingContext.close", { context })),
      };
    },
  };
}
