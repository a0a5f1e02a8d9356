import type { PageBroker } from "./page-broker";

/** Gives the page a hub of its own, with a connection that no other tab shares. */
export async function connectInPage(broker: PageBroker, signal: AbortSignal): Promise<void> {
  const [{ Hub }, { openClient }, { onSignIn }] = await Promise.all([
    import("./hub"),
    import("./open-client"),
    import("./sign-in-channel"),
  ]);
  if (signal.aborted) return;
  const hub = new Hub(openClient);
  onSignIn(() => hub.startAnew(), signal);
  // Told in a later turn, as over a port between a page and a worker.
  const receive = hub.attach({
    postMessage: (message) => queueMicrotask(() => broker.receive(message)),
    close: () => undefined,
  });
  broker.attach({ postMessage: receive, close: () => hub.close() });
}
