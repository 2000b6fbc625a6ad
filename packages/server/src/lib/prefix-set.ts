/** A set of prefixes. A lookup is a binary search. */
export class PrefixSet {
  /** Sorted, without prefixes that begin with another one: only the greatest prefix not above a text can match it. */
  readonly #prefixes: readonly string[]

  constructor(prefixes: readonly string[]) {
    const shortest: string[] = []
    for (const prefix of prefixes.toSorted(byCodeUnits)) {
      const last = shortest.at(-1)
      if (last === undefined || !prefix.startsWith(last)) shortest.push(prefix)
    }
    this.#prefixes = shortest
  }

  matches(text: string): boolean {
    let [from, to] = [0, this.#prefixes.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#prefixes[middle] as string) <= text) from = middle + 1
      else to = middle
    }
    return from > 0 && text.startsWith(this.#prefixes[from - 1] as string)
  }
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
