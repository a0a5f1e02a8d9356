import { createECDH, createPublicKey, randomBytes, verify } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AlertContent, AlertTo } from "@merkle/wire";
import ece from "http_ece";
import { Webhook } from "standardwebhooks";
import { expect, it, onTestFinished } from "vitest";
import { type AlertKey, openAlertKey } from "../../core/alert-key.js";
import { toAlertRequest } from "./alert-request.js";

const content: AlertContent = {
  id: "ask:1:2",
  kind: "ask",
  title: "Split <auth>",
  body: "Cedar asks: “Which *key*? @everyone <!channel> & more”",
  path: "/sessions/split-auth?m=2",
};

async function openKey(): Promise<AlertKey & { readonly home: string }> {
  const home = await mkdtemp(join(tmpdir(), "merkle-alert-key-"));
  onTestFinished(() => rm(home, { recursive: true }));
  return { home, ...(await openAlertKey(home)) };
}

async function write(to: AlertTo) {
  const { vapid } = await openKey();
  return toAlertRequest(to, content, { vapid, base: "https://mesh.example.com", now: new Date() });
}

it("[ALERT-2] a push opens with the browser's key alone, and is signed with the key that the browser knows", async () => {
  const browser = createECDH("prime256v1");
  const p256dh = browser.generateKeys("base64url");
  const auth = randomBytes(16);
  const { vapid } = await openKey();
  const endpoint = "https://push.example.net/send/abc";
  const to = { kind: "push" as const, endpoint, p256dh, auth: auth.toString("base64url") };
  const now = new Date();
  const { url, headers, body } = toAlertRequest(to, content, {
    vapid,
    base: "https://mesh.example.com",
    now,
  });
  expect(url).toBe(endpoint);
  expect(headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "86400" });
  const opened = ece.decrypt(Buffer.from(body), {
    version: "aes128gcm",
    privateKey: browser,
    authSecret: auth,
  });
  expect(JSON.parse(opened.toString())).toEqual(content);

  const [, head = "", claims = "", signature = "", key] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(headers["authorization"] ?? "") ?? [];
  expect(key).toBe(vapid.publicKey);
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({
    aud: "https://push.example.net",
    exp: Math.floor(now.getTime() / 1000) + 43_200,
    sub: "https://mesh.example.com",
  });
  const point = Buffer.from(key ?? "", "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const signed = Buffer.from(`${head}.${claims}`);
  const publicKey = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" as const };
  expect(verify("sha256", signed, publicKey, Buffer.from(signature, "base64url"))).toBe(true);
});

it("[ALERT-2] a webhook is verified by a library of others, and is not when anything of it was changed", async () => {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const { headers, body } = await write({ kind: "webhook", url: "https://example.com/hook", secret });
  const webhook = new Webhook(secret);
  expect(webhook.verify(body.toString(), { ...headers })).toMatchObject({
    type: "alert.ask",
    data: { ...content, url: "https://mesh.example.com/sessions/split-auth?m=2" },
  });
  expect(() => webhook.verify(body.toString().replace("Cedar", "Birch"), { ...headers })).toThrow();
  expect(() => webhook.verify(body.toString(), { ...headers, "webhook-id": "msg_other" })).toThrow();
  const other = new Webhook(`whsec_${randomBytes(32).toString("base64")}`);
  expect(() => other.verify(body.toString(), { ...headers })).toThrow();
});

it("[ALERT-2] ntfy, Slack and Discord are given the same words, which mark up nothing and mention nobody", async () => {
  const ntfy = await write({ kind: "ntfy", url: "https://ntfy.sh/my-topic", token: "tk_1" });
  expect(ntfy).toMatchObject({ url: "https://ntfy.sh/", headers: { authorization: "Bearer tk_1" } });
  expect(JSON.parse(ntfy.body.toString())).toEqual({
    topic: "my-topic",
    title: content.title,
    message: content.body,
    click: "https://mesh.example.com/sessions/split-auth?m=2",
  });
  const slack = await write({ kind: "slack", url: "https://hooks.slack.com/x" });
  expect(JSON.parse(slack.body.toString())).toMatchObject({
    text: expect.stringContaining(
      "Split &lt;auth&gt;\nCedar asks: “Which *key*? @everyone &lt;!channel&gt; &amp;",
    ),
    mrkdwn: false,
  });
  const discord = await write({ kind: "discord", url: "https://discord.com/api/webhooks/1/x" });
  expect(JSON.parse(discord.body.toString())).toMatchObject({
    content: expect.stringContaining("Which \\*key\\*?"),
    allowed_mentions: { parse: [] },
  });
});

it("[ALERT-7] the key is drawn once, is its user's alone, and a damaged one stops the start with a sentence", async () => {
  const { home, secret, vapid } = await openKey();
  const again = await openAlertKey(home);
  expect([again.secret, again.vapid.publicKey]).toEqual([secret, vapid.publicKey]);
  const path = join(home, "alert-key");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, "utf8")).toBe(secret);
  for (const mode of [0o640, 0o660, 0o604]) {
    await chmod(path, mode);
    expect((await openAlertKey(home)).secret).toBe(secret);
    expect((await stat(path)).mode & 0o777, mode.toString(8)).toBe(0o600);
  }
  await writeFile(path, "x");
  await expect(openAlertKey(home)).rejects.toThrow(`${path} is damaged`);
});
