import type { SummaryOptions } from "./summariser.js";

export const summaryDefaults = { baseUrl: "https://api.openai.com/v1", model: "gpt-4o-mini" };

/** Says whether summaries are made, and by which model where; never a key, nor a password of an address. */
export function describeSummaries(options: SummaryOptions | undefined): string {
  if (!options) return "off: neither OPENAI_API_KEY nor OPENAI_BASE_URL is set";
  const { baseUrl = summaryDefaults.baseUrl, model = summaryDefaults.model } = options;
  return `on: ${model} at ${new URL(baseUrl).host}`;
}
