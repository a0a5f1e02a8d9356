/* Shows the broker's push messages as notifications, even if no page is open. Clicking a notification opens its page. This worker
   serves no pages and caches nothing. */

self.addEventListener("push", (event) => {
  const { id, title, body, path } = event.data.json();
  // The tag prevents duplicate notifications, even if the item is pushed twice or an open page has already shown it.
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
