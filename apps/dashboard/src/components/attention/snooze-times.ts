/** Until when an item can be put off, from now. */
export function snoozeTimes(now: Date): readonly { readonly label: string; readonly until: Date }[] {
  const hour = 3_600_000;
  return [
    { label: "1 hour", until: new Date(now.getTime() + hour) },
    { label: "4 hours", until: new Date(now.getTime() + 4 * hour) },
    { label: "Tomorrow, 9:00", until: morning(now, 1) },
    { label: "Next week, 9:00", until: morning(now, 7) },
  ];
}

function morning(now: Date, days: number): Date {
  const day = new Date(now);
  day.setDate(day.getDate() + days);
  day.setHours(9, 0, 0, 0);
  return day;
}
