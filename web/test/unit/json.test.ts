import assert from "node:assert/strict";
import { test } from "node:test";
import { read, readList, type Shape } from "../../src/json.ts";

interface Point {
  x: number;
  name: string;
}

const Point: Shape<Point> = { x: 0, name: "" };

interface Drawing {
  title: string;
  done: boolean;
  origin: Point;
  points: Point[];
  tags: string[];
  colors: Record<string, string>;
  scale?: number;
  exitCode: number;
}

const Drawing: Shape<Drawing> = {
  title: "",
  done: false,
  origin: Point,
  points: [Point],
  tags: [""],
  colors: { "*": "" },
  "scale?": 0,
  ExitCode: 0,
};

const JSON_OF_GO = `{
  "title": "a house", "done": true, "origin": {"x": 1, "name": "o"}, "points": [{"x": 2, "name": "p"}], "tags": ["t"],
  "colors": {"roof": "red"}, "scale": 0.5, "ExitCode": 3
}`;

const HOUSE: Drawing = {
  title: "a house",
  done: true,
  origin: { x: 1, name: "o" },
  points: [{ x: 2, name: "p" }],
  tags: ["t"],
  colors: { roof: "red" },
  scale: 0.5,
  exitCode: 3,
};

const parsed = JSON.parse(JSON_OF_GO) as Record<string, unknown>;

test("JSON of the shape is read as it was written, under TypeScript's names", () => {
  assert.deepEqual(read(Drawing, parsed), HOUSE);
});

test("a missing field is Go's zero value, and an optional one is left out", () => {
  assert.deepEqual(read(Drawing, {}), {
    title: "",
    done: false,
    origin: { x: 0, name: "" },
    points: [],
    tags: [],
    colors: {},
    exitCode: 0,
  });
  const { origin: _, ...rest } = parsed;
  assert.deepEqual(read(Drawing, rest), { ...HOUSE, origin: { x: 0, name: "" } });
});

test("a field of another type counts as missing, and a field that the type does not have is ignored", () => {
  const { scale: _, ...without } = HOUSE;
  const zero: Drawing = {
    title: "",
    done: false,
    origin: { x: 0, name: "" },
    points: [],
    tags: [],
    colors: {},
    exitCode: 0,
  };
  const wrong: [name: string, json: unknown, want: Drawing][] = [
    ["title", 7, { ...HOUSE, title: zero.title }],
    ["title", null, { ...HOUSE, title: zero.title }],
    ["done", "true", { ...HOUSE, done: zero.done }],
    ["origin", [1, "o"], { ...HOUSE, origin: zero.origin }],
    ["origin", { x: "1", name: "o", y: 2 }, { ...HOUSE, origin: { x: 0, name: "o" } }],
    ["points", { 0: { x: 2 } }, { ...HOUSE, points: [] }],
    ["points", [null, 3, { x: 2, name: "p" }, []], HOUSE],
    ["tags", ["t", 5, null], HOUSE],
    ["colors", { roof: "red", door: 4 }, HOUSE],
    ["colors", ["red"], { ...HOUSE, colors: {} }],
    ["scale", "0.5", without],
    ["scale", null, without],
    ["ExitCode", JSON.parse("1e999"), { ...HOUSE, exitCode: 0 }],
    ["exitCode", 4, HOUSE],
    ["height", 12, HOUSE],
  ];
  for (const [name, json, want] of wrong) {
    assert.deepEqual(read(Drawing, { ...parsed, [name]: json }), want, `${name}: ${JSON.stringify(json)}`);
  }
});

test("JSON without a required field, or with one of another type, is refused", () => {
  assert.deepEqual(read(Drawing, parsed, "title", "points", "ExitCode", "colors"), HOUSE);
  for (const [name, json] of [
    ["title", undefined],
    ["title", 1],
    ["points", null],
    ["ExitCode", "3"],
    ["colors", []],
  ] as const) {
    assert.equal(read(Drawing, { ...parsed, [name]: json }, "title", "points", "ExitCode", "colors"), null, name);
  }
  for (const json of [null, undefined, 3, "{}", true, [], [parsed]])
    assert.equal(read(Drawing, json), null, JSON.stringify(json));
});

test("a list is read without its elements of another type", () => {
  assert.deepEqual(readList(Point, [{ x: 1, name: "p" }, null, { x: 2 }, "p"], "name"), [{ x: 1, name: "p" }]);
  for (const json of [null, {}, "[]"]) assert.equal(readList(Point, json), null, JSON.stringify(json));
});

test("a key of a map may be any text, and sets no prototype", () => {
  const { colors } = read(Drawing, JSON.parse('{"colors": {"__proto__": "red", "constructor": "blue", "*": "any"}}'))!;
  assert.deepEqual(Object.entries(colors), [
    ["__proto__", "red"],
    ["constructor", "blue"],
    ["*", "any"],
  ]);
  assert.equal(Object.getPrototypeOf(colors), Object.prototype);
});
