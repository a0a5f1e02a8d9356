import { runInNewContext } from "node:vm";
import { afterEach, expect, it, vi } from "vitest";
import { secretScript } from "./secret-script";
import { clearSecret, findSecret } from "./tab-secret";

/** A fake of the browser's storage. */
function createStorage(items: Record<string, string> = {}) {
  const map = new Map(Object.entries(items));
  return {
    map,
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, text: string) => void map.set(key, text),
    removeItem: (key: string) => void map.delete(key),
  };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("[DASH-360] the code of a link that verifies is kept by its tab alone, and in no address", () => {
  const localStorage = createStorage({ "merkle.verification": "mkv_of-an-earlier-version", other: "stays" });
  const sessionStorage = createStorage();
  const replaced: string[] = [];
  runInNewContext(secretScript, {
    location: { pathname: "/sessions/auth", search: "?mesh=second", hash: "#verify=mkv_code" },
    history: { replaceState: (_state: unknown, _title: string, to: string) => replaced.push(to) },
    localStorage,
    sessionStorage,
    addEventListener: () => undefined,
  });
  expect([...localStorage.map]).toEqual([["other", "stays"]]);
  expect([...sessionStorage.map.values()]).toEqual(["mkv_code"]);
  expect(replaced).toEqual(["/sessions/auth?mesh=second"]);

  vi.stubGlobal("sessionStorage", sessionStorage);
  expect(findSecret("verification")).toBe("mkv_code");
  clearSecret("verification");
  expect([findSecret("verification"), sessionStorage.map.size]).toEqual([null, 0]);
});
