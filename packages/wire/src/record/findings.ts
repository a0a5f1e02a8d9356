import type { Finding } from "./report.js";

const findingsMax = 100;

/** The findings in one part of a record, in order. Only the first hundred are kept. */
export interface Findings {
  readonly list: readonly Finding[];
  /**
   * True if there are so many findings that no more are kept. Verification then stops, because continuing
   * would only help an attacker who sends large amounts of data.
   */
  readonly isFull: boolean;
  add(...findings: readonly Finding[]): void;
  /** Replaces a finding with a more precise one. */
  narrow(finding: Finding, narrower: Finding): void;
}

export function collectFindings(): Findings {
  const list: Finding[] = [];
  return {
    list,
    get isFull() {
      return list.length >= findingsMax;
    },
    add(...findings) {
      list.push(...findings.slice(0, findingsMax - list.length));
    },
    narrow(finding, narrower) {
      const place = list.indexOf(finding);
      if (place >= 0) list[place] = narrower;
    },
  };
}

export function joinFindings(parts: readonly Findings[]): Finding[] {
  return parts.flatMap(({ list }) => list).slice(0, findingsMax);
}
