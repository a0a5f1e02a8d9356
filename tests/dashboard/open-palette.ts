import type { Locator, Page } from "playwright-core";

/** Opens the palette with its shortcut and returns its text field. */
export async function openPalette(page: Page): Promise<Locator> {
  // The page renders before it handles keys, so a key pressed too early would be lost.
  await isLive(page);
  await page.keyboard.press("Control+k");
  const field = locatePaletteField(page);
  await field.waitFor();
  return field;
}

export function locatePaletteField(page: Page): Locator {
  return page.getByRole("dialog", { name: "Command menu" }).getByRole("combobox");
}

/** Resolves when the page is connected to its broker. From then on, the page handles keys. */
export function isLive(page: Page): Promise<void> {
  return page.locator('[data-slot="live-badge"]').getByText("Live", { exact: true }).waitFor();
}
