import { lazyPart } from "@/core/lazy-part";
import type { SettingsSection } from "@/parts/feature";

export const section: SettingsSection = {
  anchor: "alerts",
  title: "Push and webhooks",
  about: "Get notified when Merkle isn't open: phone, Slack, Discord or a webhook.",
  Content: lazyPart(() => import("./alert-settings"), "AlertSettings"),
};
