/** Latencies over many measurements, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export function toLatency(milliseconds: readonly number[]): Latency {
  const sorted = Float64Array.from(milliseconds).sort();
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}

/** @param share - for example 0.95 */
export function percentile(values: readonly number[], share: number): number {
  return quantile(Float64Array.from(values).sort(), share);
}

function quantile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}
