import { type Database, readBrokerSettings } from "@merkle/db";
import type { BrokerSettings } from "@merkle/wire";
import { brokerSettingsDefault, catalogue } from "@merkle/wire/schemas";

/** The broker's settings, kept in memory because every request reads them. */
export interface SettingsStore {
  readonly current: BrokerSettings;
  /**
   * Re-reads the settings. Called after a change, and also at intervals, because another node may have
   * changed the settings.
   */
  reload(): Promise<BrokerSettings>;
}

/** @param initial - values from the command line, such as `--public-url`, for settings that are not stored */
export async function loadSettings(
  database: Pick<Database, "orm">,
  initial: Partial<BrokerSettings>,
): Promise<SettingsStore> {
  const store = {
    current: brokerSettingsDefault,
    async reload() {
      // Settings stored by a later version may contain unknown fields, which are ignored.
      const known = Object.keys(brokerSettingsDefault);
      const stored = Object.entries(toRecord(await readBrokerSettings(database.orm))).filter(([key]) =>
        known.includes(key),
      );
      const parsed = catalogue.get_settings.output.shape.settings.safeParse({
        ...brokerSettingsDefault,
        ...initial,
        ...Object.fromEntries(stored),
      });
      store.current = parsed.success ? parsed.data : { ...brokerSettingsDefault, ...initial };
      return store.current;
    },
  };
  await store.reload();
  return store;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
