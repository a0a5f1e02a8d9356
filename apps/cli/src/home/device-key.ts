import { existsSync } from "node:fs";
import { homeFiles } from "../core/merkle-home.js";

/** Returns whether this home has a key with which its person signs words for their agents (OWN-1). */
export function hasDeviceKey(home: string): boolean {
  return existsSync(homeFiles.deviceKey(home));
}
