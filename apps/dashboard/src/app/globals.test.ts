import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./globals.css", import.meta.url), "utf8");
const themes = { light: readTokens(":root"), dark: readTokens(".dark") };
const grounds = ["background", "surface", "raised"];
const teams = ["indigo", "teal", "rose", "amber", "sky", "olive", "fuchsia", "orange"].map(
  (name) => `team-${name}`,
);
const texts = ["foreground", "muted-foreground", "link", "success", "warning", "danger", "info", ...teams];
const marks = [
  "ring",
  "status-active",
  "status-idle-outline",
  "status-disconnected",
  "status-blocked",
  ...teams,
];

describe.each(Object.entries(themes))("the %s colours", (_theme, colours) => {
  const contrast = (front: string, ground: string) =>
    computeContrast(colours.get(front) ?? "", colours.get(ground) ?? "");

  it("[DASH-16] text can be read on every ground that it stands on", () => {
    for (const text of texts) {
      for (const ground of grounds)
        expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
    for (const ground of ["added", "removed", "highlight"]) {
      expect(contrast("foreground", ground), `foreground on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast("danger", "danger-surface")).toBeGreaterThanOrEqual(4.5);
    expect(contrast("primary-foreground", "primary")).toBeGreaterThanOrEqual(4.5);
  });

  it("[DASH-16] marks, focus rings and the borders of fields can be seen", () => {
    for (const mark of marks) {
      for (const ground of grounds)
        expect(contrast(mark, ground), `${mark} on ${ground}`).toBeGreaterThanOrEqual(3);
    }
    for (const ground of ["background", "surface"]) {
      expect(contrast("input", ground), `input on ${ground}`).toBeGreaterThanOrEqual(3);
    }
  });
});

it("[DASH-16] both themes have every colour, and Tailwind knows them all", () => {
  expect([...themes.dark.keys()].sort()).toEqual([...themes.light.keys()].sort());
  for (const name of themes.light.keys()) expect(css).toContain(`--color-${name}: var(--${name});`);
});

function readTokens(selector: string): Map<string, string> {
  const block = css.split(`\n${selector} {`)[1]?.split("}")[0] ?? "";
  return new Map(
    [...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

/** Returns the contrast ratio as WCAG 2 defines it, from 1 to 21. */
function computeContrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [computeLuminance(one), computeLuminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function computeLuminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
