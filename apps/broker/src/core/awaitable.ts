/**
 * A value that is known already, or a promise of it. What is in memory goes on at once: a promise for each step of a post
 * would cost more than the steps.
 */
export type Awaitable<Value> = Value | Promise<Value>;

/** Goes on with a value, now when it is known, else when it is. What `next` throws now is thrown now. */
export function whenKnown<Value, Next>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
