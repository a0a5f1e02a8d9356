import type { SettingsSection } from "@/parts/feature";
import { lazySection } from "@/parts/lazy-section";

export const section: SettingsSection = {
  anchor: "alerts",
  title: "Push and webhooks",
  about: "Get notified when Merkle isn't open: phone, Slack, Discord or a webhook.",
  group: "Notifications",
  keywords: "phone push Slack Discord ntfy webhook quiet hours destination",
  Content: lazySection(() => import("./alert-settings"), "AlertSettings"),
};
