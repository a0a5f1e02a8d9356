/** By which a page that signs the browser in or out tells whatever holds the connection. */
const channelName = "merkle.signed-in";

/** Who this browser is signed in as is another now, or nobody. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("changed");
  channel.close();
}

/** Listens until the signal is aborted, or for as long as the page or worker lives. */
export function onSignIn(listener: () => void, signal?: AbortSignal): void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener("message", listener);
  signal?.addEventListener("abort", () => channel.close());
}
