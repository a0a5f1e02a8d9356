export const summaryDefaults = { baseUrl: "https://api.openai.com/v1", model: "gpt-4o-mini" };

interface ModelAddress {
  readonly baseUrl?: string | undefined;
  readonly model?: string | undefined;
}

/**
 * Describes whether summaries are made, and by which model on which host. Leaves out the API key and any
 * password in the URL.
 */
export function describeSummaries(options: ModelAddress | undefined): string {
  if (!options) return "off: neither OPENAI_API_KEY nor OPENAI_BASE_URL is set";
  const { baseUrl = summaryDefaults.baseUrl, model = summaryDefaults.model } = options;
  return `on: ${model} at ${new URL(baseUrl).host}`;
}
