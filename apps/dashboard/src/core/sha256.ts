import type { Sha256 } from "@merkle/wire/record";
import { sha256 as hash } from "@noble/hashes/sha2.js";

/** SHA-256 in any page: browsers have their own in secure contexts alone, and one hash at a time takes no longer so. */
export const sha256: Sha256 = (bytes) => hash(bytes);
