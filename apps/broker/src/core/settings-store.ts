import { type Database, readBrokerSettings } from "@merkle/db";
import type { BrokerSettings } from "@merkle/wire";
import { brokerSettingsDefault, catalogue } from "@merkle/wire/schemas";

/** The broker's settings, held in memory because every request looks at them. */
export interface SettingsStore {
  readonly current: BrokerSettings;
  /** Reads them again, after a change or now and then, since another node may have changed them. */
  reload(): Promise<BrokerSettings>;
}

/** @param initial - what this start asks for where nobody has set anything: `--public-url` */
export async function loadSettings(
  database: Pick<Database, "orm">,
  initial: Partial<BrokerSettings>,
): Promise<SettingsStore> {
  const store = {
    current: brokerSettingsDefault,
    async reload() {
      // Stored settings of a later version may have fields that this one does not know; they are left alone.
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
