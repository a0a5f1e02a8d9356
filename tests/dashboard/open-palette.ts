import type { Locator, Page } from "playwright-core";

/** Opens the palette with its key and gives the field that one types into. */
export async function openPalette(page: Page): Promise<Locator> {
  // The page is drawn before it listens: a key pressed in between is nobody's.
  await isLive(page);
  await page.keyboard.press("Control+k");
  const field = paletteField(page);
  await field.waitFor();
  return field;
}

export function paletteField(page: Page): Locator {
  return page.getByRole("dialog", { name: "Command menu" }).getByRole("combobox");
}

/** Resolves when the page is connected to its broker, and so listens to keys. */
export function isLive(page: Page): Promise<void> {
  return page.locator('[data-slot="live-badge"]').getByText("Live", { exact: true }).waitFor();
}
