// The exercises were renumbered in November 2026, and the old numbers are used again for other exercises. What was stored
// before is read with today's numbers.

/** Today's number of each exercise by its old one. The exercises' manifests have the same as "formerly". */
const NUMBERS = [
  0, 6, 7, 40, 10, 11, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 1, 4, 37, 5, 38, 2, 3, 34, 35, 36, 39,
];

/** Returns today's name for an old one that has an exercise's ID between slashes: "exercise1/verdict". */
export function renumbered(name: string): string {
  return name.replace(/(?<![^/])exercise([1-9]\d*)(?![^/])/g, (id, n) => {
    const now = NUMBERS[Number(n)];
    return now === undefined ? id : `exercise${now}`;
  });
}
