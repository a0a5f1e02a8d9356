import type { PageBroker } from "./page-broker";
import { aliveEveryMs } from "./port";

/** Connects a page to the broker that served it, and keeps it connected until the function that is returned is called. */
export function openBroker(broker: PageBroker): () => void {
  const closed = new AbortController();
  const { signal } = closed;
  let attached: AbortController | undefined;

  function attach(): void {
    attached ??= new AbortController();
    void connectInPage(broker, attached.signal);
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

/** A hub of the page's own, with a connection that no other tab shares. */
async function connectInPage(broker: PageBroker, signal: AbortSignal): Promise<void> {
  const [{ Hub }, { connect }] = await Promise.all([import("./hub"), import("@merkle/wire/client")]);
  if (signal.aborted) return;
  const client = connect({ url: location.origin });
  const receive = new Hub(client).attach({
    postMessage: (message) => queueMicrotask(() => broker.receive(message)),
    close: () => undefined,
  });
  broker.attach({ postMessage: receive, close: () => void client.close() });
}
