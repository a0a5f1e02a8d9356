import { Hub } from "./hub";
import { openClient } from "./open-client";
import type { PageMessage } from "./port";
import { onSignIn } from "./sign-in-channel";

/** Runs once for all tabs of a browser, and holds their one connection. The browser ends it with the last of them. */
const hub = new Hub(openClient);
onSignIn(() => hub.startAnew());

self.addEventListener("connect", (event) => {
  if (!(event instanceof MessageEvent)) return;
  const [port] = event.ports;
  if (!port) return;
  const receive = hub.attach(port);
  port.addEventListener("message", ({ data }: MessageEvent<PageMessage>) => receive(data));
  port.start();
});
