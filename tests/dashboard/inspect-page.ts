import type { CDPSession, Page } from "playwright-core";
import { axeSource } from "../kit/axe.js";
import { selectShare } from "../kit/exhaustive.js";

/** Checks a page for people who use a screen reader, a keyboard or reduced motion, and for small screens. */
export interface PageInspector {
  /**
   * Returns the problems with the page in its current state: in light and dark colours, on a desktop, and 320 px wide
   * on a touch screen. With `part`, axe inspects only that element, which is enough while a dialog is open. A normal
   * run checks one of these variants per call, in rotation. A full run checks all of them.
   */
  inspect(part?: string): Promise<string[]>;
}

const desk = { width: 1280, height: 800 };
const narrow = { width: 320, height: 640 };

export async function openInspector(page: Page): Promise<PageInspector> {
  const devtools = await page.context().newCDPSession(page);

  async function barriers(part: string | undefined): Promise<string[]> {
    if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axeSource);
    const found = await page.evaluate<string[]>(`(${findBarriers})(${JSON.stringify({ part })})`);
    return found.map((each) => `axe ${each}`);
  }

  async function inLight(part: string | undefined): Promise<string[]> {
    const found = [...(await barriers(part)), ...(await settled(() => findSmallTargets(page, 24)))];
    return found.map((each) => `at a desk: ${each}`);
  }

  async function inDarkAndOnPhone(part: string | undefined): Promise<string[]> {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html.dark").waitFor();
    const inDark = await barriers(part);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(narrow);
    await touch(devtools, true);
    const onPhone = await settled(() => findSmallTargets(page, 44));
    await touch(devtools, false);
    await page.setViewportSize(desk);
    return [
      ...inDark.map((each) => `in dark colours: ${each}`),
      ...onPhone.map((each) => `320 px wide: ${each}`),
    ];
  }

  const ways = [inLight, inDarkAndOnPhone];
  let inspected = 0;
  return {
    async inspect(part) {
      const found: string[] = [];
      for (const way of selectShare(ways, inspected++, ways.length)) found.push(...(await way(part)));
      const where = new URL(page.url());
      return found.map((each) => `${where.pathname}${where.search} ${part ?? ""} ${each}`);
    },
  };
}

function touch(devtools: CDPSession, enabled: boolean) {
  return devtools.send("Emulation.setTouchEmulationEnabled", { enabled });
}

/**
 * Repeats the search for problems until none are found, because the page takes time to adapt to a new width. Gives up
 * after a minute.
 */
async function settled(find: () => Promise<string[]>): Promise<string[]> {
  const until = Date.now() + 60_000;
  for (;;) {
    const found = await find();
    if (found.length === 0 || Date.now() > until) return found;
  }
}

function findSmallTargets(page: Page, targetPx: number): Promise<string[]> {
  return page.evaluate<string[]>(`(${findSmallTargetsInPage})(${targetPx})`);
}

/** Runs in the page, after axe has been loaded there. */
const findBarriers = `async ({ part }) => {
  const { violations } = await axe.run(part ? document.querySelector(part) : document, {
    preload: false,
    resultTypes: ["violations"],
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200)));
}`;

/** Runs in the page, so it must be self-contained. */
const findSmallTargetsInPage = `async (targetPx) => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest("[inert]");
  const describe = (element) => element.outerHTML.slice(0, 160);
  const modal = document.querySelector("dialog:modal");
  const found = [];

  // What others wrote brings headings of its own.
  const levels = all("h1, h2, h3, h4, h5, h6")
    .filter((element) => isShown(element) && !element.closest("dialog, [data-slot=markdown]"))
    .map((element) => Number(element.localName[1]));
  const firsts = levels.filter((level) => level === 1).length;
  if (firsts !== 1) found.push("first headings: " + firsts);
  levels.forEach((level, place) => {
    if (place > 0 && level > levels[place - 1] + 1) found.push("headings skip from " + levels[place - 1] + " to " + level);
  });
  const mains = all("main").filter(isShown).length;
  if (mains !== 1) found.push("main landmarks: " + mains);
  if (!/^.+ · Merkle$/.test(document.title)) found.push("titled " + document.title);
  if (document.documentElement.scrollWidth > innerWidth) found.push("wide " + document.documentElement.scrollWidth);

  const isInText = (element) => element.localName === "a" && getComputedStyle(element).display === "inline";
  const isForTheEye = (element) => element.closest(".sr-only") === null && element.getBoundingClientRect().width > 1;
  // A press on the label of a field is one on the field, and what stands beside a target may belong to it.
  const areaOf = (element) => {
    const own = element.getBoundingClientRect();
    if (element.matches("input[type=checkbox], input[type=radio]")) return (element.labels[0] ?? element).getBoundingClientRect();
    const after = getComputedStyle(element, "::after");
    if (after.content === "none" || after.position !== "absolute") return own;
    const isIn = getComputedStyle(element).position === "static" ? element.offsetParent.getBoundingClientRect() : own;
    const [top, right, bottom, left] = [after.top, after.right, after.bottom, after.left].map(parseFloat);
    return { width: isIn.width - left - right, height: isIn.height - top - bottom };
  };
  const targets = all("a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=option], [role=switch], [role=slider]")
    .filter((element) => isShown(element) && (!modal || modal.contains(element)) && isForTheEye(element));
  for (const element of targets) {
    const { width, height } = areaOf(element);
    if (!isInText(element) && (width < targetPx - 0.5 || height < targetPx - 0.5))
      found.push("small, " + Math.round(width) + " by " + Math.round(height) + ": " + describe(element));
    const { left, right } = element.getBoundingClientRect();
    if ((right > innerWidth + 1 || left < -1) && !scrolls(element)) found.push("beyond the edge: " + describe(element));
  }
  function scrolls(element) {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth) return true;
    }
    return false;
  }

  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    for (const animation of document.getAnimations()) {
      const { activeDuration } = animation.effect.getComputedTiming();
      if (activeDuration > 1) found.push("moves for " + activeDuration + " ms: " + describe(animation.effect.target));
    }
  }
  return found;
}`;
