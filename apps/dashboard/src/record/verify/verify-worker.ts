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

// All that a check needs came with this script: from here on nothing is fetched.
tell({ type: "ready" });

async function answer(request: CheckRequest, signal: AbortSignal): Promise<void> {
  const { id } = request;
  try {
    const onProgress = (share: number) => tell({ type: "progress", id, share });
    const result = await check(request, { signal, onProgress });
    if (!signal.aborted) tell({ type: "checked", id, result });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!signal.aborted) tell({ type: "failed", id, message });
  }
}

async function check(
  request: CheckRequest,
  options: { readonly signal: AbortSignal; readonly onProgress: (share: number) => void },
): Promise<CheckResult> {
  const { believed } = request;
  if (request.what === "bundle") return checkBundle(request.file, { ...options, believed });
  const proof = parseProofText(request.text);
  const seen = believed.seen[proof.record_id]?.keys ?? [];
  return { what: "proof", proof: await checkProof(proof, [...seen, ...believed.brokerKeys]) };
}

function tell(reply: VerifyReply): void {
  self.postMessage(reply);
}
