import type { AlertTarget } from "@merkle/wire";

export type TypedKind = Exclude<AlertTarget["kind"], "push">;

export const kindNames: Readonly<Record<AlertTarget["kind"], string>> = {
  push: "Browser",
  webhook: "Webhook",
  ntfy: "ntfy",
  slack: "Slack",
  discord: "Discord",
};

/** The kinds of destination whose address a person types. */
export const typedKinds: readonly TypedKind[] = ["webhook", "ntfy", "slack", "discord"];

/** An example address for each kind, and where to get one. */
export const addressHints: Readonly<Record<TypedKind, { readonly like: string; readonly about: string }>> = {
  webhook: {
    like: "https://example.com/merkle",
    about: "Sends a signed POST (Standard Webhooks).",
  },
  ntfy: {
    like: "https://ntfy.sh/a-topic-nobody-guesses",
    about: "Server and topic. Anyone who knows the topic can read your notifications.",
  },
  slack: { like: "https://hooks.slack.com/services/…", about: "Incoming webhook URL of a Slack app." },
  discord: {
    like: "https://discord.com/api/webhooks/…",
    about: "Webhook URL from the channel settings.",
  },
};
