import type { PageBroker } from "./page-broker";
import type { HubMessage } from "./port";

/** A worker that says nothing for so long does not run here. */
const answerMsMax = 10_000;

/** Connects the page to the worker that all tabs share; calls `onMissing`, once, where there is none. */
export function connectToWorker(broker: PageBroker, signal: AbortSignal, onMissing: () => void): void {
  const worker = startWorker();
  if (!worker) return onMissing();
  const { port } = worker;
  let state: "unknown" | "running" | "missing" = "unknown";
  const giveUp = setTimeout(fail, answerMsMax);

  function fail(): void {
    if (state !== "unknown") return;
    state = "missing";
    clearTimeout(giveUp);
    port.close();
    if (!signal.aborted) onMissing();
  }

  worker.addEventListener("error", fail);
  port.addEventListener("message", ({ data }: MessageEvent<HubMessage>) => {
    if (signal.aborted || state === "missing") return;
    // Its first word shows that it runs.
    if (state === "unknown") {
      state = "running";
      clearTimeout(giveUp);
      broker.attach(port);
    }
    broker.receive(data);
  });
  port.start();
}

function startWorker(): SharedWorker | undefined {
  if (typeof SharedWorker === "undefined") return undefined;
  try {
    // Its file is named for its content, so pages of two versions never share one.
    return new SharedWorker(new URL("./shared-worker.ts", import.meta.url), {
      type: "module",
      name: "merkle",
    });
  } catch {
    return undefined;
  }
}
