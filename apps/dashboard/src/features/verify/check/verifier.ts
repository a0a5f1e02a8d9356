import type { Checkable, CheckResult, TrustedData, VerifyReply, VerifyRequest } from "./verify-protocol";

/** Checks records in a worker, which loads completely before its first check. */
export interface Verifier {
  /** Resolves once everything is loaded. From then on no network is needed. */
  readonly ready: Promise<void>;
  /**
   * Starts a check. Cancels any running check, whose promise then never settles.
   *
   * @throws Error with a message to show if the input cannot be checked
   */
  check(what: Checkable, trusted: TrustedData, onProgress: (share: number) => void): Promise<CheckResult>;
  cancel(): void;
  stop(): void;
}

interface PendingCheck {
  readonly id: number;
  readonly onProgress: (share: number) => void;
  readonly resolve: (result: CheckResult) => void;
  readonly reject: (error: Error) => void;
}

export function startVerifier(): Verifier {
  const worker = new Worker(new URL("./verify-worker.ts", import.meta.url), {
    type: "module",
    name: "verify",
  });
  let pending: PendingCheck | null = null;
  let lastId = 0;
  const send = (request: VerifyRequest) => worker.postMessage(request);

  const ready = new Promise<void>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<VerifyReply>) => {
      if (data.type === "ready") return resolve();
      if (pending?.id !== data.id) return;
      if (data.type === "progress") return pending.onProgress(data.share);
      if (data.type === "checked") pending.resolve(data.result);
      else pending.reject(new Error(data.message));
      pending = null;
    });
    worker.addEventListener("error", () => {
      const error = new Error("The verifier stopped. Reload the page.");
      reject(error);
      pending?.reject(error);
      pending = null;
    });
  });

  return {
    ready,
    async check(what, trusted, onProgress) {
      await ready;
      return new Promise((resolve, reject) => {
        lastId += 1;
        pending = { id: lastId, onProgress, resolve, reject };
        send({ type: "check", id: lastId, trusted, ...what });
      });
    },
    cancel() {
      pending = null;
      send({ type: "give up" });
    },
    stop: () => worker.terminate(),
  };
}
