// Reads JSON that a Go program wrote as the types in go/.
//
// A library for validation would do this too. With valibot 1.5, the smallest of those in wide use, this file and the
// shapes of go/runner.ts alone weigh 2.35 kB instead of 1.34 kB (minified, brotli). The heaviest pages are 0.7 and
// 0.9 kB below their bars in test/site/weight.test.ts.

/**
 * A zero value of Go, which stands for its type: "" for strings, 0 for numbers, false for booleans, a list with the
 * zero value of its elements for slices, and an object for structs. The key "*" of an object stands for every key of a
 * map, and a key that ends in "?" for a field that is left out unless the JSON has a value of its type.
 */
export type Zero = string | number | boolean | readonly [Zero] | { readonly [name: string]: Zero };

declare const type: unique symbol;

/** The zero value of a Go struct, which is T in TypeScript. Its keys are the names in JSON. */
export interface Shape<T> {
  readonly [name: string]: Zero;
  readonly [type]?: T;
}

/** A name in JSON: Go writes a field without a tag with a capital letter, and T has it with a small one. */
type JSONName<T> = (keyof T & string) | Capitalize<keyof T & string>;

export type Fields = Record<string, unknown>;

/**
 * Reads parsed JSON as a value of type T, or returns null if it is not an object or one of its required fields is not
 * of its type. A later or an earlier version may have written it, so the rest is read leniently: a value that is absent
 * or of another type becomes the zero value, an element of another type is left out of its list, and other fields are
 * ignored.
 */
export function read<T>(shape: Shape<T>, json: unknown, ...required: JSONName<T>[]): T | null {
  const fits = isFields(json) && required.every((name) => isLike(shape[name]!, json[name]));
  return fits ? (valueOf(shape, json) as T) : null;
}

/** Reads a list of objects; null if the JSON is not a list. Elements that read would refuse are left out. */
export function readList<T>(shape: Shape<T>, json: unknown, ...required: JSONName<T>[]): T[] | null {
  if (!Array.isArray(json)) return null;
  return json.map((element) => read(shape, element, ...required)).filter((value) => value !== null);
}

/** Reports whether a value of parsed JSON is an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isList = (zero: Zero): zero is readonly [Zero] => Array.isArray(zero);

/** Reports whether JSON is of the type of a zero value, without regard to elements and fields. */
function isLike(zero: Zero, json: unknown): boolean {
  if (isList(zero)) return Array.isArray(json);
  if (typeof zero === "object") return isFields(json);
  // Numbers of parsed JSON are finite, unless they are too large.
  return typeof json === typeof zero && (typeof json !== "number" || Number.isFinite(json));
}

function valueOf(zero: Zero, json: unknown): unknown {
  if (isList(zero)) {
    const [of] = zero;
    const elements: unknown[] = [];
    if (!Array.isArray(json)) return elements;
    for (const element of json) if (isLike(of, element)) elements.push(valueOf(of, element));
    return elements;
  }
  if (typeof zero === "object") return fieldsOf(zero, isFields(json) ? json : {});
  return isLike(zero, json) ? json : zero;
}

function fieldsOf(zero: { readonly [name: string]: Zero }, json: Fields): Fields {
  const all = zero["*"];
  if (all !== undefined) {
    const entries = Object.entries(json).filter(([, value]) => isLike(all, value));
    return Object.fromEntries(entries.map(([name, value]) => [name, valueOf(all, value)]));
  }
  const fields: Fields = {};
  for (const { name, as, optional, of } of fieldsIn(zero)) {
    const value = json[name];
    if (!optional || isLike(of, value)) fields[as] = valueOf(of, value);
  }
  return fields;
}

/** A field of a shape: its name in JSON and in TypeScript, and its zero value. */
interface Field {
  name: string;
  as: string;
  optional: boolean;
  of: Zero;
}

/** The fields of each shape that was read: the steps of a program have tens of thousands of values of a few shapes. */
const known = new WeakMap<object, Field[]>();

function fieldsIn(zero: { readonly [name: string]: Zero }): Field[] {
  const before = known.get(zero);
  if (before) return before;
  const fields = Object.entries(zero).map(([key, of]) => {
    const name = key.replace("?", "");
    return { name, as: name[0]!.toLowerCase() + name.slice(1), optional: name !== key, of };
  });
  known.set(zero, fields);
  return fields;
}
