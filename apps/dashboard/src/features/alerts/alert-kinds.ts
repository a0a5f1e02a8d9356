import type { AlertTarget } from "@merkle/wire";

export type AddressKind = Exclude<AlertTarget["kind"], "push">;

export const kindNames: Readonly<Record<AlertTarget["kind"], string>> = {
  push: "Browser",
  webhook: "Webhook",
  ntfy: "ntfy",
  slack: "Slack",
  discord: "Discord",
};

/** The kinds of destination whose address a person types. */
export const addressKinds: readonly AddressKind[] = ["webhook", "ntfy", "slack", "discord"];

/** An example address for each kind, and where to get one. */
export const addressHints: Readonly<
  Record<AddressKind, { readonly placeholder: string; readonly about: string }>
> = {
  webhook: {
    placeholder: "https://example.com/merkle",
    about: "Sends a signed POST (Standard Webhooks).",
  },
  ntfy: {
    placeholder: "https://ntfy.sh/a-topic-nobody-guesses",
    about: "Server and topic. Anyone who knows the topic can read your notifications.",
  },
  slack: { placeholder: "https://hooks.slack.com/services/…", about: "Incoming webhook URL of a Slack app." },
  discord: {
    placeholder: "https://discord.com/api/webhooks/…",
    about: "Webhook URL from the channel settings.",
  },
};
