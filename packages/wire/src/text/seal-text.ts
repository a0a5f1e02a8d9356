import { shortHash } from "./short-hash.js";

/** A seal as it stands among other facts: `sealed 412 messages, root 9f2c…e71a`. */
export function sealText({ size, root }: { readonly size: number; readonly root: string }): string {
  return `sealed ${size} ${size === 1 ? "message" : "messages"}, root ${shortHash(root)}`;
}
