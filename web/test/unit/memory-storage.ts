// A browser's storage, for tests.

export class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>();
  full = false;
  get length() {
    return this.#items.size;
  }
  clear() {
    this.#items.clear();
  }
  getItem(key: string) {
    return this.#items.get(key) ?? null;
  }
  key(i: number) {
    return [...this.#items.keys()][i] ?? null;
  }
  removeItem(key: string) {
    this.#items.delete(key);
  }
  setItem(key: string, value: string) {
    if (this.full) throw new DOMException("full", "QuotaExceededError");
    this.#items.set(key, value);
  }
}
