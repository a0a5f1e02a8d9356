/*
 * Shows what the broker pushes to this browser, with all pages closed, and leads to where it is looked at. It serves no pages and
 * keeps nothing.
 */

self.addEventListener("push", (event) => {
  const { id, title, body, path } = event.data.json();
  // One notification for one item, also when it comes twice, or an open page has shown it already.
  event.waitUntil(
    self.registration.showNotification(title, { body, tag: id, icon: "/icons/192.png", data: { path } }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.path));
});

async function openPage(path) {
  const { href, origin } = new URL(path, self.location.origin);
  if (origin !== self.location.origin) return;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = pages.find(({ url }) => url === href);
  await (open ? open.focus() : self.clients.openWindow(href));
}
