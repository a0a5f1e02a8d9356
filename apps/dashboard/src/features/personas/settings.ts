import { lazyPart } from "@/core/lazy-part";
import type { SettingsSection } from "@/parts/feature";

export const section: SettingsSection = {
  anchor: "personas",
  title: "Personas",
  about: "Instructions that an agent follows when it reviews a document as this persona.",
  Content: lazyPart(() => import("./persona-settings"), "PersonaSettings"),
};
