import { useQueryParam } from "@/core/address/use-query-param";

/** Returns the version in the URL, as in `?v=12`. */
export function useVersionParam(): number | null {
  const [text] = useQueryParam("v");
  return parseVersion(text);
}

/** Returns the proposal in the URL, as in `?proposal=9`. */
export function useProposalParam(): number | null {
  const [text] = useQueryParam("proposal");
  return parseVersion(text);
}

/** Two versions, the older first. */
export interface VersionPair {
  readonly from: number;
  readonly to: number;
}

/** Returns the comparison in the URL, as in `?compare=12..14`. */
export function useCompareParam(): VersionPair | null {
  const [text] = useQueryParam("compare");
  const [from, to] = (text ?? "").split("..").map(parseVersion);
  if (from === undefined || from === null || to === undefined || to === null || from === to) return null;
  return { from: Math.min(from, to), to: Math.max(from, to) };
}

export function toCompareParam({ from, to }: VersionPair): string {
  return `${from}..${to}`;
}

function parseVersion(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
