// Finds the participants who need help, and groups those who are stuck in the same way.

import type { Participant, Room } from "../go/room.ts";
import { hasBegun } from "./presence.ts";
import { plural } from "./words.ts";

/** A participant who changes nothing for this long, and has not passed, is stuck. */
export const STUCK_MS = 10 * 60_000;

/** From this many checks in a row that end at the same failing test, a participant counts as stuck. */
const MANY_TIMES = 3;

/** From this many participants who share a likely mistake, it is worth telling all of them. */
const SHARED_BY = 2;

export type Need = "test" | "mistake" | "quiet" | "unbegun";

/** Participants who need the same help. */
export interface Group {
  need: Need;
  /** The exercise of a failing test or a mistake; "" for the others. */
  exercise: string;
  /** The name of the test or of the mistake; "" for the others. */
  what: string;
  people: Participant[];
}

/** Returns the time of a participant's last change, in ms; 0 if there is none. */
export const lastChange = ({ work }: Participant): number =>
  Math.max(0, ...Object.values(work).map(({ changed }) => Date.parse(changed) || 0));

/** Returns who needs help, the largest groups of each kind first. now is the server's time. */
export function needsHelp({ participants, exercises, presence }: Room, now: number): Group[] {
  const done = (person: Participant) => exercises.every((id) => person.work[id]?.passed);
  const here = participants.filter((person) => (person.connected || !presence) && !done(person));
  const quiet = here.filter((person) => hasBegun(person) && now - lastChange(person) > STUCK_MS);
  const unbegun = here.filter((person) => !hasBegun(person) && now - Date.parse(person.joined) > STUCK_MS);
  return [
    ...grouped("test", participants, exercises, 1, (person, id) => {
      const { stage = "", test = "", same = 0 } = person.work[id] ?? {};
      return stage === "tests" && same >= MANY_TIMES ? test : "";
    }),
    ...grouped("mistake", participants, exercises, SHARED_BY, (person, id) => person.work[id]?.mistake ?? ""),
    { need: "quiet", exercise: "", what: "", people: quiet.sort((a, b) => lastChange(a) - lastChange(b)) } as const,
    { need: "unbegun", exercise: "", what: "", people: unbegun } as const,
  ].filter(({ people }) => people.length > 0);
}

/** Groups the participants who have not passed an exercise by what they have in common there; "" means nothing. */
function grouped(
  need: Need,
  participants: readonly Participant[],
  exercises: readonly string[],
  least: number,
  common: (person: Participant, exercise: string) => string,
): Group[] {
  const groups: Group[] = [];
  for (const exercise of exercises) {
    const by = new Map<string, Participant[]>();
    for (const person of participants) {
      const what = person.work[exercise]?.passed ? "" : common(person, exercise);
      if (what !== "") by.set(what, [...(by.get(what) ?? []), person]);
    }
    for (const [what, people] of by) if (people.length >= least) groups.push({ need, exercise, what, people });
  }
  return groups.sort((a, b) => b.people.length - a.people.length);
}

/** Returns how many need which help, without a name: "2 hands up · 3 fail a test again and again". */
export function helpWords(groups: readonly Group[], hands: number): string {
  const count = (need: Need) =>
    new Set(groups.filter((group) => group.need === need).flatMap(({ people }) => people.map(({ id }) => id))).size;
  const parts: [number, string][] = [
    [hands, `${plural(hands, "hand")} up`],
    [count("test"), `${count("test")} ${count("test") === 1 ? "fails" : "fail"} a test again and again`],
    [count("mistake"), `${count("mistake")} share a likely mistake`],
    [count("quiet"), `${count("quiet")} ${count("quiet") === 1 ? "has" : "have"} changed nothing for ten minutes`],
    [count("unbegun"), `${count("unbegun")} connected, not started`],
  ];
  return parts
    .filter(([n]) => n > 0)
    .map(([, words]) => words)
    .join(" · ");
}
