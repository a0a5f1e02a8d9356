import { toHex } from "@merkle/wire/record";
import { checkSurroundingPage } from "@merkle/wire/record/page";
import type { RandomAccess } from "@merkle/wire/record/zip";
import { sha256 } from "@noble/hashes/sha2.js";
import { checkBundle } from "./check-bundle";
import { checkProof } from "./check-proof";
import { parseProofText } from "./parse-proof";
import type { CheckResult, VerifyReply, VerifyRequest } from "./verify-protocol";

type CheckRequest = Extract<VerifyRequest, { type: "check" }>;

let current = new AbortController();

self.addEventListener("message", ({ data }: MessageEvent<VerifyRequest>) => {
  current.abort();
  current = new AbortController();
  if (data.type === "check") void answer(data, current.signal);
});

/**
 * The hash of the page template of this build. Null without a network. A check then recognises only the page templates
 * of released versions.
 */
const ownPage = hashOwnPage().catch(() => null);
// From here on, everything that a check needs is loaded, and nothing more is fetched.
void ownPage.then(() => send({ type: "ready" }));

async function hashOwnPage(): Promise<string | null> {
  const response = await fetch("/record.template");
  return response.ok ? toHex(sha256(new Uint8Array(await response.arrayBuffer()))) : null;
}

async function answer(request: CheckRequest, signal: AbortSignal): Promise<void> {
  const { id } = request;
  try {
    const onProgress = (share: number) => send({ type: "progress", id, share });
    const result = await check(request, { signal, onProgress });
    if (!signal.aborted) send({ type: "checked", id, result });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!signal.aborted) send({ type: "failed", id, message });
  }
}

async function check(
  request: CheckRequest,
  options: { readonly signal: AbortSignal; readonly onProgress: (share: number) => void },
): Promise<CheckResult> {
  const { trusted } = request;
  if (request.what === "bundle") {
    const createSha256 = () => sha256.create();
    const checkPage = async (file: RandomAccess) =>
      checkSurroundingPage(file, { createSha256, ownPage: await ownPage });
    return checkBundle(request.file, { ...options, trusted, checkPage });
  }
  const proof = parseProofText(request.text);
  const seenKeys = trusted.seen[proof.record_id]?.keys ?? [];
  return { what: "proof", proof: await checkProof(proof, [...seenKeys, ...trusted.brokerKeys]) };
}

function send(reply: VerifyReply): void {
  self.postMessage(reply);
}
