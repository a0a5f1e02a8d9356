import type { SettingsSection } from "@/parts/feature";
import { lazySection } from "@/parts/lazy-section";

export const section: SettingsSection = {
  anchor: "personas",
  title: "Personas",
  about: "Instructions that an agent follows when it reviews a document as this persona.",
  group: "Agents",
  keywords: "review perspective instructions",
  Content: lazySection(() => import("./persona-settings"), "PersonaSettings"),
};
