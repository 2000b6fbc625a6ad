/** Texts that other texts may begin with. Asking costs a binary search, however many there are. */
export class PrefixSet {
  /** In order, without those that begin with another: the only one that a text can begin with is the last that is not greater. */
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
