import { expect, it } from "vitest";
import { describeBrowser } from "./describe-browser";

it("[DASH-178] a signed-in browser is called as its owner calls it", () => {
  const like = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)";
  expect(describeBrowser(`${like} Chrome/156.0.0.0 Safari/537.36`)).toBe("Chrome 156 on Linux");
  expect(describeBrowser(`${like} Chrome/156.0.0.0 Safari/537.36 Edg/156.0`)).toBe("Edge 156 on Linux");
  expect(describeBrowser("Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0")).toBe(
    "Firefox 140 on Windows",
  );
  const phone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
  expect(describeBrowser(`${phone} Version/18.0 Mobile/15E148 Safari/604.1`)).toBe("Safari 18 on iPhone");
  // The broker cuts off the user agent after 100 characters. An unknown user agent is shown as it is.
  expect(describeBrowser("curl/8.5.0")).toBe("curl/8.5.0");
});
