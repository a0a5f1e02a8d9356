import { connectInPage } from "./connect-in-page";
import { connectToWorker } from "./connect-to-worker";
import type { PageBroker } from "./page-broker";
import { aliveEveryMs } from "./port";

/** Connects a page to the broker that served it, and keeps it connected until the function that is returned is called. */
export function openBroker(broker: PageBroker): () => void {
  const closed = new AbortController();
  const { signal } = closed;
  let attached: AbortController | undefined;

  function attach(): void {
    const attaching = new AbortController();
    attached = attaching;
    // Some browsers have no shared workers, and some policies of organisations allow none.
    connectToWorker(broker, attaching.signal, () => void connectInPage(broker, attaching.signal));
  }

  function detach(): void {
    attached?.abort();
    attached = undefined;
    broker.detach();
  }

  attach();
  const alive = setInterval(() => broker.sayAlive(), aliveEveryMs);
  // A page that is left may come back as it was, and then has nothing that was kept for it.
  window.addEventListener("pagehide", detach, { signal });
  window.addEventListener("pageshow", () => !attached && attach(), { signal });
  // After sleep nothing is heard of a connection that was lost meanwhile, and pauses may have become long.
  const retry = () => document.visibilityState === "visible" && broker.retryNow();
  document.addEventListener("visibilitychange", retry, { signal });
  window.addEventListener("online", retry, { signal });

  return () => {
    clearInterval(alive);
    closed.abort();
    detach();
  };
}
