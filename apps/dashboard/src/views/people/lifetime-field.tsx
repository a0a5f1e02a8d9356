import { Field, FieldLabel } from "@/ui/field";
import { Select } from "@/ui/select";

const hour = 3_600;
const day = 24 * hour;

/** Lifetimes to choose from, in seconds. */
const lifetimes = [
  { seconds: hour, label: "1 hour" },
  { seconds: day, label: "1 day" },
  { seconds: 7 * day, label: "7 days" },
  { seconds: 30 * day, label: "30 days" },
  { seconds: 90 * day, label: "90 days" },
  { seconds: 365 * day, label: "1 year" },
] as const;

export interface LifetimeFieldProps {
  readonly seconds: number;
  readonly secondsMax: number;
  readonly onChange: (seconds: number) => void;
}

/** Selects how long an invite, token or link is valid. */
export function LifetimeField({ seconds, secondsMax, onChange }: LifetimeFieldProps) {
  return (
    <Field>
      <FieldLabel>Expires in</FieldLabel>
      <Select
        className="w-full"
        value={String(seconds)}
        onChange={(value) => onChange(Number(value))}
        options={lifetimes
          .filter((each) => each.seconds <= secondsMax)
          .map((each) => [String(each.seconds), each.label])}
      />
    </Field>
  );
}
