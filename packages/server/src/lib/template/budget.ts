import { TemplateError } from './errors.ts'

/** The limits of one rendering. */
export interface Limits {
  /** Each evaluated node, each iterated item and every 32 generated characters cost a step. */
  readonly stepsMax: number
  readonly outputCharactersMax: number
  /** The longest intermediate text and list. */
  readonly textCharactersMax: number
  readonly listItemsMax: number
  /** The recursion depth of macros and loops. */
  readonly depthMax: number
  readonly timeMs: number
}

/** 100,000 steps take 15 to 60 ms. The time limit is a second safeguard for slower machines. */
export const defaultLimits: Limits = {
  stepsMax: 100_000,
  outputCharactersMax: 1_000_000,
  textCharactersMax: 1_000_000,
  listItemsMax: 100_000,
  depthMax: 50,
  timeMs: 100,
}

const charactersPerStep = 32
const searchedPerStep = 64
/** Dividing a text into words or letters makes an object for each. */
const dividedPerStep = 2
/** Comparing is much faster than building a text. */
const comparedPerStep = 1024
/** Steps between two checks of the clock. */
const stepsPerClockCheck = 1024

/** Counts the cost of a rendering and aborts it above a limit. Every loop and every growing text spends from it first. */
export class Budget {
  readonly limits: Limits
  readonly #now: (() => number) | undefined
  readonly #startedAt: number
  #steps = 0
  #nextClockCheck = stepsPerClockCheck
  #output = 0
  #depth = 0

  /** `now` is in microseconds. Without it only the steps are limited. */
  constructor(limits: Limits, now?: () => number) {
    this.limits = limits
    this.#now = now
    this.#startedAt = now?.() ?? 0
  }

  spend(steps = 1): void {
    this.#steps += steps
    if (this.#steps > this.limits.stepsMax) throw new TemplateError('The template takes too many steps')
    if (this.#now && this.#steps >= this.#nextClockCheck) {
      this.#nextClockCheck = this.#steps + stepsPerClockCheck
      if (this.#now() - this.#startedAt > this.limits.timeMs * 1000) throw new TemplateError(`The template takes more than ${this.limits.timeMs} ms`)
    }
  }

  /** Called before a text is built. */
  spendOnText(characters: number): void {
    if (!(characters <= this.limits.textCharactersMax)) throw new TemplateError('A text in the template is too long')
    this.spend(Math.ceil(characters / charactersPerStep))
  }

  /** Called before a text is divided into words or letters. */
  spendOnDivision(characters: number): void {
    this.spend(Math.ceil(characters / dividedPerStep))
  }

  /** Called before a substring search, which compares every pair of characters in the worst case. */
  spendOnSearch(characters: number, sought: number): void {
    this.spend(Math.ceil(characters / charactersPerStep) * Math.ceil((sought + 1) / searchedPerStep))
  }

  /** Called before texts are compared. */
  spendOnComparison(left: string, right: string): void {
    this.spend(Math.ceil(Math.min(left.length, right.length) / comparedPerStep))
  }

  /** Called before a list is built. */
  spendOnList(items: number): void {
    if (!(items <= this.limits.listItemsMax)) throw new TemplateError('A list in the template is too long')
    this.spend(items)
  }

  spendOnOutput(characters: number): void {
    this.#output += characters
    if (this.#output > this.limits.outputCharactersMax) throw new TemplateError('The template output is too long')
    this.spend(Math.ceil(characters / charactersPerStep))
  }

  nested<T>(inner: () => T): T {
    if (this.#depth >= this.limits.depthMax) throw new TemplateError('The template recursion is too deep')
    this.#depth += 1
    try {
      return inner()
    } finally {
      this.#depth -= 1
    }
  }
}
