import type { Finding } from "./report.js";

const findingsMax = 100;

/** Findings of one part of a record, in their order; what comes after the first hundred says nothing new. */
export interface Findings {
  readonly list: readonly Finding[];
  /** Whether no more are taken: then reading on is of no use, and is what somebody wants who sends very much. */
  readonly full: boolean;
  add(...findings: readonly Finding[]): void;
  /** Puts what is known better in the place of what was found first. */
  narrow(finding: Finding, narrower: Finding): void;
}

export function collectFindings(): Findings {
  const list: Finding[] = [];
  return {
    list,
    get full() {
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
