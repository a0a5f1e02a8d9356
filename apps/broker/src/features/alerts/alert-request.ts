import { createHmac } from "node:crypto";
import type { AlertContent, AlertTo } from "@merkle/wire";
import type { AlertKey } from "../../core/alert-key.js";
import { sha256 } from "../../core/sha256.js";
import { createPushHeaders, encryptPush } from "./push-message.js";

/** The HTTP request for an alert: address, headers and body. */
export interface AlertRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export interface AlertSender {
  readonly vapid: AlertKey["vapid"];
  /** Base URL of the dashboard. */
  readonly base: string;
  readonly now: Date;
}

/**
 * Builds the request that sends an item to a target of this kind. Text from users is treated as plain data:
 * it cannot add markup or mention anyone.
 */
export function toAlertRequest(to: AlertTo, content: AlertContent, sender: AlertSender): AlertRequest {
  const link = `${sender.base}${content.path}`;
  switch (to.kind) {
    case "push":
      return {
        url: to.endpoint,
        headers: createPushHeaders(to, { ...sender, contact: toContact(sender.base) }),
        body: encryptPush(JSON.stringify(content), to),
      };
    case "webhook":
      return toWebhook(to, { ...content, url: link }, sender.now);
    case "ntfy": {
      const [, server = "", topic = ""] = /^(.*\/)([^/]+)$/.exec(new URL(to.url).href) ?? [];
      const { title, body: message } = content;
      return toJsonRequest(
        server,
        { topic: decodeURIComponent(topic), title, message, click: link },
        to.token === undefined ? {} : { authorization: `Bearer ${to.token}` },
      );
    }
    case "slack": {
      const text = `${content.title}\n${content.body}\n${link}`;
      const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      return toJsonRequest(to.url, { text: escaped, mrkdwn: false, unfurl_links: false });
    }
    case "discord": {
      const text = `${content.title}\n${content.body}`.replace(/[\\*_~`|>#[\]()-]/g, "\\$&");
      return toJsonRequest(to.url, {
        content: `${text.slice(0, 1_500)}\n<${link}>`,
        allowed_mentions: { parse: [] },
      });
    }
  }
}

/**
 * Builds a webhook request as in Standard Webhooks: retries keep the same id, and the signature covers the
 * id, time and body.
 */
function toWebhook(
  { url, secret }: Extract<AlertTo, { kind: "webhook" }>,
  data: AlertContent & { readonly url: string },
  now: Date,
): AlertRequest {
  const id = `msg_${sha256(data.id, "base64url")}`;
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const body = JSON.stringify({ type: `alert.${data.kind}`, timestamp: now.toISOString(), data });
  const signature = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64");
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
  return { url, headers: { ...headers, "content-type": "application/json" }, body };
}

function toJsonRequest(
  url: string,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): AlertRequest {
  return { url, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(value) };
}

/**
 * Returns the contact for a push service (RFC 8292): the broker's address if it uses https, otherwise a mail
 * address.
 */
function toContact(base: string): string {
  return base.startsWith("https:") ? base : `mailto:merkle@${new URL(base).hostname.replace(/^\[|\]$/g, "")}`;
}
