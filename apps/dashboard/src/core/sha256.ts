import type { Sha256 } from "@merkle/wire/record";
import { sha256 as hash } from "@noble/hashes/sha2.js";

/**
 * Computes SHA-256 without the Web Crypto API, which exists only in secure contexts. For single hashes, this is as fast
 * as the API.
 */
export const sha256: Sha256 = (bytes) => hash(bytes);
