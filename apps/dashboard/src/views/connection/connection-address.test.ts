import { expect, it } from "vitest";
import { isOfThisMachine, parseConnectionAddress } from "./connection-address";

const addressOf = (typed: string) => parseConnectionAddress(typed).address;

it("[DASH-156] an address is a base or an endpoint, with or without its scheme", () => {
  const own = { base: "https://mesh.example.com", mcp: "https://mesh.example.com/api/mcp" };
  expect(addressOf(" https://mesh.example.com/ ")).toEqual(own);
  expect(addressOf("https://mesh.example.com/api/mcp")).toEqual(own);
  expect(addressOf("https://mesh.example.com/mcp/")).toEqual({ ...own, mcp: "https://mesh.example.com/mcp" });
  expect(addressOf("https://example.com/merkle")?.mcp).toBe("https://example.com/merkle/api/mcp");
  expect(addressOf("192.168.1.5:7423")).toEqual({
    base: "http://192.168.1.5:7423",
    mcp: "http://192.168.1.5:7423/api/mcp",
  });
  expect(addressOf("http://[::1]:7423")?.base).toBe("http://[::1]:7423");
});

it("[DASH-156] what is no address is refused in words", () => {
  for (const typed of [
    "",
    "  ",
    "http://",
    "ftp://example.com",
    "http://a b",
    "https://user:secret@example.com",
    "https://example.com/?view=compact",
    "https://example.com/#x",
    `https://example.com/${"x".repeat(300)}`,
  ]) {
    const { address, problem } = parseConnectionAddress(typed);
    expect(address, typed).toBeNull();
    expect(problem, typed).toMatch(/\.$|\/\/$|com$/);
  }
});

it("[DASH-156] nothing of it is more than an address to a shell, to JSON or to Claude Code", () => {
  const hostile = "http://example.com/'$(touch x)`id`;|&\"<>{}$HOME!*\\";
  const { base } = addressOf(hostile) ?? { base: "" };
  expect(base).toMatch(/^http:\/\/example\.com\/[A-Za-z0-9\-._~:/%]+$/);
});

it("[DASH-157] an address of this machine is known as one", () => {
  for (const own of ["http://localhost:7423", "http://127.0.0.1", "http://[::1]:1"])
    expect(isOfThisMachine(own)).toBe(true);
  for (const other of ["http://192.168.1.5", "https://localhost.example.com", "nothing"])
    expect(isOfThisMachine(other)).toBe(false);
});
