import { expect, it } from "vitest";
import { isShownInText, readWebAddress } from "./web-address";

it("[DASH-52] only absolute http, https and mailto addresses are addresses, however they are spelled", () => {
  expect(readWebAddress("https://example.org/a?b#c")).toEqual({
    href: "https://example.org/a?b#c",
    label: "example.org",
  });
  expect(readWebAddress("mailto:ana@example.org")?.label).toBe("ana@example.org");
  const refused = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " \u0001javascript:alert(1)",
    "java\nscript:alert(1)",
    "javascript&colon;alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "blob:https://example.org/1",
    "view-source:https://example.org",
    "//example.org/x",
    "/settings",
    "#top",
    "",
    "https://",
  ];
  for (const target of refused) expect(readWebAddress(target), target).toBeNull();
});

it("[DASH-52] a link's text stands for its host only when it begins with exactly that host", () => {
  const shows = (text: string, target: string) => {
    const address = readWebAddress(target);
    return address !== null && isShownInText(text, address);
  };
  expect(shows("https://example.org/a", "https://example.org/a")).toBe(true);
  expect(shows("example.org", "https://example.org/a")).toBe(true);
  expect(shows("ana@example.org", "mailto:ana@example.org")).toBe(true);
  expect(shows("click", "https://example.org")).toBe(false);
  expect(shows("https://bank.example", "https://evil.example")).toBe(false);
  expect(shows("https://bank.example.evil.example", "https://bank.example")).toBe(false);
  expect(shows("https://bank.example@evil.example", "https://bank.example@evil.example")).toBe(false);
  // The browser converts a host with non-ASCII letters to its ASCII form.
  expect(readWebAddress("https://еxample.org")?.label).toBe("xn--xample-2of.org");
});
