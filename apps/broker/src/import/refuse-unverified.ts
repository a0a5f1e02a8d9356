import { createHash } from "node:crypto";
import { MerkleError } from "@merkle/wire";
import { type RecordReport, verifyBundle } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import { sha256 } from "../audit/sha256.js";
import type { Context } from "../context.js";
import { isSigned } from "../identity/is-signed.js";

/** So many of what is wrong are told; the rest `merkle verify` tells. */
const findingsTold = 10;

/**
 * Verifies a bundle whole, and gives way to everybody else while it does.
 *
 * @throws bad_request with the first thing that is wrong
 */
export async function refuseUnverified(bundle: ZippedFiles, { signal }: Context): Promise<RecordReport> {
  const report = await verifyBundle(bundle, {
    sha256,
    createSha256: () => createHash("sha256"),
    verifySignature: (publicKey, bytes, signature) =>
      isSigned(bytes, {
        key: Buffer.from(publicKey).toString("base64url"),
        signature: Buffer.from(signature).toString("base64url"),
      }),
    signal,
  });
  if (report.ok) return report;
  const [first] = report.findings;
  throw new MerkleError(
    "bad_request",
    `The bundle does not verify, so nothing was imported. ${first?.message ?? ""}`.trimEnd(),
    { findings: report.findings.slice(0, findingsTold) },
  );
}
