/** A page that signs the browser in or out notifies all pages in the browser on this channel, including itself. */
const channelName = "merkle.signed-in";

/** Announces that the browser's sign-in has changed. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("changed");
  channel.close();
}

/** Calls the listener on sign-in changes until the signal is aborted. */
export function onSignIn(listener: () => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener("message", listener);
  signal.addEventListener("abort", () => channel.close());
}
