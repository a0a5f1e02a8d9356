const units = ["kB", "MB", "GB", "TB"] as const;

/** Formats a size with a decimal unit: `512 bytes`, `1.5 kB`, `150 kB`, `5.0 GB`. */
export function describeBytes(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const step = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** step;
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step - 1]}`;
}
