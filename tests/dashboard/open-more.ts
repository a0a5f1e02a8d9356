import type { Locator, Page } from "playwright-core";

/** Opens the pages, or the parts of a session, that have nothing in them yet, and returns their list. */
export async function openMore(page: Page, of: "Main" | "Parts of the session"): Promise<Locator> {
  await page
    .getByRole("navigation", { name: of })
    .getByRole("button", { name: /^More/ })
    .filter({ visible: true })
    .click();
  return page.getByRole("dialog", { name: of === "Main" ? "More pages" : "More parts of the session" });
}
