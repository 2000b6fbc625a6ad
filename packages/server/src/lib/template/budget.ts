import { TemplateError } from './errors.ts'

/** What one rendering may cost. */
export interface Limits {
  /** Each node looked at, each item walked over and every 32 characters made are a step. */
  readonly stepsMax: number
  readonly outputCharactersMax: number
  /** The longest text and the longest list that may come up on the way. */
  readonly textCharactersMax: number
  readonly listItemsMax: number
  /** How deep macros and recursive loops may call themselves. */
  readonly depthMax: number
  readonly timeMs: number
}

/** 100,000 steps took 15 to 60 ms on the machine this was measured on, so that the time is a second net, for slower machines. */
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
/** Comparing is much faster than making. */
const comparedPerStep = 1024
/** The clock is looked at once in so many steps. */
const stepsPerClockCheck = 1024

/** Counts what a rendering costs and ends it when it costs too much. Every loop and every text that can grow asks here first. */
export class Budget {
  readonly limits: Limits
  readonly #now: (() => number) | undefined
  readonly #startedAt: number
  #steps = 0
  #nextClockCheck = stepsPerClockCheck
  #output = 0
  #depth = 0

  /** `now` is in microseconds; without it the steps alone count. */
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

  /** Asked before a text is made. */
  spendOnText(characters: number): void {
    if (!(characters <= this.limits.textCharactersMax)) throw new TemplateError('A text in the template grows too long')
    this.spend(Math.ceil(characters / charactersPerStep))
  }

  /** Asked before a text is looked for in another: in the worst case each character of one is compared with each of the other. */
  spendOnSearch(characters: number, sought: number): void {
    this.spend(Math.ceil(characters / charactersPerStep) * Math.ceil((sought + 1) / searchedPerStep))
  }

  /** Asked before texts are compared. */
  spendOnComparison(left: string, right: string): void {
    this.spend(Math.ceil(Math.min(left.length, right.length) / comparedPerStep))
  }

  /** Asked before a list is made. */
  spendOnList(items: number): void {
    if (!(items <= this.limits.listItemsMax)) throw new TemplateError('A list in the template grows too long')
    this.spend(items)
  }

  spendOnOutput(characters: number): void {
    this.#output += characters
    if (this.#output > this.limits.outputCharactersMax) throw new TemplateError('The template writes too much')
    this.spend(Math.ceil(characters / charactersPerStep))
  }

  nested<T>(inner: () => T): T {
    if (this.#depth >= this.limits.depthMax) throw new TemplateError('The template calls itself too often')
    this.#depth += 1
    try {
      return inner()
    } finally {
      this.#depth -= 1
    }
  }
}
