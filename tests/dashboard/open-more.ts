import type { Locator, Page } from "playwright-core";

/** Opens the "More" menu in the navigation with this label, and returns the menu's dialog. */
export async function openMore(page: Page, of: "Main" | "Parts of the session"): Promise<Locator> {
  await page
    .getByRole("navigation", { name: of })
    .getByRole("button", { name: /^More/ })
    .filter({ visible: true })
    .click();
  return page.getByRole("dialog", { name: of === "Main" ? "More pages" : "More parts of the session" });
}
