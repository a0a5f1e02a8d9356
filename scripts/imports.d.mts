export const packages: readonly string[];
export const root: string;
export function listSources(folder: string): string[];
export function needsOf(folder: string): string[];
export function readImports(sources: readonly string[]): Map<string, string[]>;
