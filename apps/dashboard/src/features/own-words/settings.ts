import type { SettingsSection, Signer } from "@/parts/feature";
import { lazySection } from "@/parts/lazy-section";

export const section: SettingsSection = {
  anchor: "own-words",
  title: "Your own words",
  about: "Let your agents take what you write on this device as their user's words.",
  group: "You",
  keywords: "sign messages device key agent trust",
  Content: lazySection(() => import("./own-words-settings"), "OwnWordsSettings"),
};

export async function openSigner(): Promise<Signer | null> {
  return (await import("./signer")).openSigner();
}
