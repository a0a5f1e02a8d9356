import type { Locator, Page } from "playwright-core";

/** Opens the "More" menu of the main navigation or of a session's parts, and returns the dialog. */
export async function openMore(page: Page, of: "Main" | "Parts of the session"): Promise<Locator> {
  await page
    .getByRole("navigation", { name: of })
    .getByRole("button", { name: /^More/ })
    .filter({ visible: true })
    .click();
  return page.getByRole("dialog", { name: of === "Main" ? "More pages" : "More parts of the session" });
}
