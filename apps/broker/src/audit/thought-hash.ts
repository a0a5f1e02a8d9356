import { hash } from "node:crypto";
import { type HashedThought, thoughtText } from "@merkle/wire";

/** The hash of a record, in hexadecimal digits (AUDIT-4). */
export function hashThought(thought: HashedThought): string {
  return hash("sha256", thoughtText(thought), "hex");
}
