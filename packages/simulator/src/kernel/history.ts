import { createHash } from 'node:crypto'

/** Lines that are kept for the report of a failing seed. */
const linesMax = 20_000

/** What happened, line by line. The hash of all lines identifies the run: a replay has the same hash. */
export class History {
  readonly #hash = createHash('sha256')
  readonly #now: () => number
  readonly lines: string[] = []
  readonly #keepsLines: boolean
  count = 0

  constructor(now: () => number, keepsLines: boolean) {
    this.#now = now
    this.#keepsLines = keepsLines
  }

  note(who: string, what: string): void {
    const line = `${(this.#now() / 1_000_000).toFixed(6)} ${who}: ${what}`
    this.#hash.update(line).update('\n')
    this.count += 1
    if (!this.#keepsLines) return
    this.lines.push(line)
    if (this.lines.length > 2 * linesMax) this.lines.splice(0, linesMax)
  }

  /** The hash of everything so far. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }
}
