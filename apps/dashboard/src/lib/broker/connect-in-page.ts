import type { PageBroker } from "./page-broker";

/** Gives the page a hub of its own, with a connection that no other tab shares. */
export async function connectInPage(broker: PageBroker, signal: AbortSignal): Promise<void> {
  const [{ Hub }, { connect }] = await Promise.all([import("./hub"), import("@merkle/wire/client")]);
  if (signal.aborted) return;
  // The page came from there itself: where that was clear text, refusing more of it would protect nobody.
  const client = connect({ url: location.origin, insecure: true });
  // Told in a later turn, as over a port between a page and a worker.
  const receive = new Hub(client).attach({
    postMessage: (message) => queueMicrotask(() => broker.receive(message)),
    close: () => undefined,
  });
  broker.attach({ postMessage: receive, close: () => void client.close() });
}
