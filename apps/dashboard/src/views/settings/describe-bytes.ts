const units = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** A size in the unit that makes it readable. */
export function describeBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** step;
  const unit = bytes === 1 ? "byte" : units[step];
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`;
}
