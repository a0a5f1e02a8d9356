import { MerkleError } from "@merkle/wire";
import { limits, rateLimits } from "@merkle/wire/limits";
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../core/metrics.js";
import type { MemberPrincipal } from "../principal.js";
import { createLimiter } from "./limiter.js";

const once = { per_second: 0.001, burst: 1 };

function member(memberId: string): MemberPrincipal {
  return {
    kind: "member",
    meshId: "m",
    memberId,
    name: memberId,
    role: "member",
    authority: { vouchedBy: memberId, token: null, program: null },
  };
}

function refusal(work: () => unknown): MerkleError | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof MerkleError) return error;
    throw error;
  }
}

describe("the limiter", () => {
  it("[GUARD-4] counts each address, member and session for itself, and each kind of call", () => {
    const rates = Object.fromEntries(Object.keys(rateLimits).map((name) => [name, once]));
    const limiter = createLimiter({ rates, metrics: createMetrics() });
    const call = (principal: string | null, sessionId: string | null, rate: "read" | "write") =>
      refusal(() =>
        limiter.admitCall({ principal: principal === null ? null : member(principal), sessionId, rate }),
      )?.details["limit"];

    expect(call("Ana", null, "read")).toBeUndefined();
    expect(call("Ana", null, "read")).toBe("member_read");
    expect(call("Ana", null, "write")).toBeUndefined();
    expect(call("Ben", "s", "read")).toBeUndefined();
    expect(call("Cleo", "s", "read")).toBe("session_read");
    expect(call("Cleo", "s", "write")).toBeUndefined();
    expect(call(null, "t", "read")).toBeUndefined();
    expect(call(null, "t", "read")).toBe("session_read");
    expect(call(null, null, "read")).toBeUndefined();

    limiter.admit("203.0.113.9");
    limiter.admit(limiter.toCallerKey("2001:db8::1"));
    expect(refusal(() => limiter.admit("203.0.113.10"))).toBeNull();
    expect(refusal(() => limiter.admit(limiter.toCallerKey("2001:db8::2")))).toMatchObject({
      code: "too_many_requests",
      status: 429,
      message:
        "Too many requests of your address: the limit is 0.001 per second, in bursts of up to 1. Try again in 1000 s.",
      details: { limit: "address", per_second: 0.001, burst: 1, retry_after_s: 1000 },
    });
  });

  it("[GUARD-4] counts an upgrade as a request, and once more as an upgrade", () => {
    const of = (rates: object) => createLimiter({ rates, metrics: createMetrics() });
    const limits = [{ address: once }, { upgrade: once }].map((rates) => {
      const limiter = of(rates);
      limiter.admitUpgrade("a");
      return refusal(() => limiter.admitUpgrade("a"))?.details["limit"];
    });
    expect(limits).toEqual(["address", "upgrade"]);
    const limiter = of({ upgrade: once });
    limiter.admitUpgrade("a");
    expect(refusal(() => limiter.admit("a"))).toBeNull();
    expect(limiter.admitFrame("a", null)).toBe(0);
  });

  it("[GUARD-4] says to come back in a second at least, and counts what it refuses", async () => {
    const metrics = createMetrics();
    const limiter = createLimiter({
      rates: { address: { per_second: 1_000, burst: 1 } },
      metrics,
      now: () => 0,
    });
    limiter.admit("a");
    expect(refusal(() => limiter.admit("a"))?.details["retry_after_s"]).toBe(1);
    expect(await metrics.render()).toContain('merkle_refusals_total{by="address"} 1');
    expect(limiter.rates?.member_read).toEqual(rateLimits.member_read);
  });

  it("[GUARD-7] stops trying codes of an address that has failed too often; right ones cost nothing", async () => {
    const limiter = createLimiter({
      rates: { failed_proof: { per_second: 0.001, burst: 2 } },
      metrics: createMetrics(),
    });
    let tried = 0;
    const right = async () => {
      tried += 1;
      return "Ana";
    };
    const wrong = async () => {
      tried += 1;
      throw new MerkleError("not_found", "Wrong.");
    };
    for (let n = 0; n < 5; n += 1) expect(await limiter.tryCode("a", right)).toBe("Ana");
    const broken = () => Promise.reject(new MerkleError("unavailable", "No database."));
    for (let n = 0; n < 5; n += 1) await expect(limiter.tryCode("a", broken)).rejects.toThrow("No database");
    await expect(limiter.tryCode("a", wrong)).rejects.toThrow("Wrong.");
    // Concurrent attempts count the same as consecutive attempts.
    tried = 0;
    const many = await Promise.allSettled(Array.from({ length: 50 }, () => limiter.tryCode("a", wrong)));
    expect(tried).toBe(1);
    expect(many.filter(({ status }) => status === "rejected")).toHaveLength(50);
    await expect(limiter.tryCode("a", right)).rejects.toMatchObject({ details: { limit: "failed_proof" } });
    expect(await limiter.tryCode("b", right)).toBe("Ana");
  });

  it("[GUARD-4] [GUARD-7] counts who has proved somebody for themselves, and their neighbours for the address", () => {
    const limiter = createLimiter({ rates: { address: once }, metrics: createMetrics() });
    const ask = (secret?: string) => refusal(() => limiter.admit(limiter.toCallerKey("a", secret)));
    limiter.noteProof("Ana's", true);
    limiter.noteProof("wrong", false);
    expect(ask("wrong")).toBeNull();
    expect(ask()?.details["limit"]).toBe("address");
    expect(ask("Ana's")).toBeNull();
    expect(ask("Ana's")?.details["limit"]).toBe("address");
    limiter.noteProof("Ana's", false);
    expect(limiter.toCallerKey("a", "Ana's")).toBe("a");
    expect(limiter.admitFrame("a", null)).toBeGreaterThan(0);
    expect(limiter.admitFrame("a", member("Ben"))).toBe(0);
  });

  it("[GUARD-4] lets everything through where it is off", async () => {
    const limiter = createLimiter({ rates: "off", metrics: createMetrics() });
    for (let n = 0; n < 20_000; n += 1) limiter.admit("a");
    expect(await limiter.tryCode("a", async () => 1)).toBe(1);
    expect(limiter.rates).toBeNull();
  });

  it("[LIMIT-1] rateBucketsMax: with one more, the longest unused is full again", () => {
    for (const [others, full] of [
      [limits.rateBucketsMax - 2, false],
      [limits.rateBucketsMax - 1, false],
      [limits.rateBucketsMax, true],
    ] as const) {
      const limiter = createLimiter({ rates: { address: once }, metrics: createMetrics() });
      limiter.admit("first");
      for (let n = 0; n < others; n += 1) limiter.admit(`${n}`);
      expect(refusal(() => limiter.admit("first")) === null, `${others}`).toBe(full);
    }
  });
});
