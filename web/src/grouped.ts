// Groups the lines of a verdict, or its errors, for the page.

/** Groups items by a key, in the order of each group's first item. */
export function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const here = groups.get(key);
    if (here) here.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Groups items by their lines. */
export function byLine<T extends { line: number }>(items: readonly T[]): Map<number, T[]> {
  return grouped(items, (item) => item.line);
}
